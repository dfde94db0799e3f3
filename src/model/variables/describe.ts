import { joinWords } from "../quote.ts";
import type { Template, VariableDeclaration } from "../template.ts";
import { declarationOf } from "./declared.ts";

/** A variable in one line, for whoever has to give its value: `ticket (text that matches [A-Z]+): the issue's number`. */
export function describeVariable(name: string, declaration: VariableDeclaration): string {
  const { description } = declaration;
  return `${name} (${wordType(declaration)})${description === undefined ? "" : `: ${description}`}`;
}

/** Every variable that a workflow declares, each in one line. */
export function describeVariables(template: Pick<Template, "variables">): string[] {
  return Object.keys(template.variables ?? {}).map((name) => {
    const declaration = declarationOf(template, name);
    return declaration === null ? name : describeVariable(name, declaration);
  });
}

function wordType({ type, choices = [], pattern }: VariableDeclaration): string {
  const matching = pattern === undefined ? "" : ` that matches ${pattern}`;
  switch (type) {
    case "text":
      return `text${matching}`;
    case "path":
      return `a path inside the project${matching}`;
    case "number":
      return "a number";
    case "flag":
      return "true or false";
    case "choice":
      return joinWords(choices, "or");
    case "command":
      return "a command, set by a person";
  }
}
