import { didYouMean } from "../nearest.ts";
import { quote, shellWord } from "../quote.ts";
import type { Next, Wording } from "./wording.ts";

/** The facts of refusals about variables. `declared` has every variable that can be set, each in one line. */
export interface VariableFacts {
  "variable-unknown": {
    readonly workflow: string;
    readonly variable: string;
    readonly known: readonly string[];
    readonly declared: readonly string[];
  };
  "variable-invalid": { readonly variable: string; readonly problem: string; readonly declared: readonly string[] };
  "variable-missing": {
    readonly workflow: string;
    /** The names, and each with its type and description. */
    readonly missing: readonly string[];
    readonly about: readonly string[];
    /** Those that only a person may set. */
    readonly commands: readonly string[];
  };
  /** `workflow` is null when the run has been started already. */
  "variable-protected": { readonly variable: string; readonly workflow: string | null };
}

export const variableRefusals: { readonly [C in keyof VariableFacts]: Wording<VariableFacts[C]> } = {
  "variable-unknown": {
    when: "A variable was set that the workflow does not declare.",
    word: (d) => [
      `the workflow ${quote(d.workflow)} declares no variable ${quote(d.variable)}${didYouMean(d.variable, d.known)}` +
        (d.declared.length === 0 ? "" : `\nIt declares:${listed(d.declared)}`),
      d.declared.length === 0 ? "start it without variables" : "correct the name, then start again",
    ],
  },
  "variable-invalid": {
    when: "The value of a variable does not fit its type.",
    word: (d) => [
      `the variable ${quote(d.variable)} ${d.problem}\nThe workflow declares:${listed(d.declared)}`,
      "correct the value, then send it again",
    ],
  },
  "variable-missing": {
    when: "The workflow needs variables that were not set.",
    word: (d) => [`the workflow ${quote(d.workflow)} needs values for:${listed(d.about)}`, giveValues(d)],
  },
  "variable-protected": {
    when: "A variable that is executed as a command can only be set by a person, when the run is started.",
    word: (d) => [
      `the variable ${quote(d.variable)} is a command, which only a person may set, when the run is started`,
      d.workflow === null
        ? "send it again without this variable; the run keeps the command it was started with"
        : {
            cli: `a person must run in a terminal of their own: ${startLine(d.workflow, [d.variable])}`,
            mcp: `start again without it to use its default, or ask the person to run: ${startLine(d.workflow, [d.variable])}`,
          },
    ],
  },
};

/** An agent asks for what it may pass on. A command it may not, so the person has to start the run. */
function giveValues({ workflow, missing, commands }: VariableFacts["variable-missing"]): Next {
  const line = startLine(workflow, missing);
  if (commands.length > 0) {
    return { cli: `a person must run in a terminal: ${line}`, mcp: `ask the person to run in a terminal: ${line}` };
  }
  return {
    cli: `add ${missing.map((name) => `--var ${name}=...`).join(" ")}`,
    mcp: `ask the person for what the request does not say, then call workflow_start again with variables ${missing.join(", ")}`,
  };
}

function startLine(workflow: string, names: readonly string[]): string {
  return `holdfast start ${shellWord(workflow)} ${names.map((name) => `--var ${name}="..."`).join(" ")}`;
}

function listed(lines: readonly string[]): string {
  return lines.map((line) => `\n  ${line}`).join("");
}
