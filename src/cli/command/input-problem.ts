import type * as z from "zod";
import { didYouMean } from "../../model/nearest.ts";
import { quote } from "../../model/quote.ts";
import type { CliCommand } from "./command.ts";

/** What is wrong with the input of a command, in terms of its options. */
export function inputProblem(command: CliCommand, input: unknown, issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return "the arguments are invalid";
  const where = nameOf(command, issue.path);
  const given = at(input, issue.path);
  switch (issue.code) {
    case "too_small":
      return issue.origin === "string" ? `${where} must not be empty` : `${where} must be more than 0`;
    case "too_big": {
      const most = issue.maximum.toLocaleString("en");
      const has = typeof given === "string" ? `; it has ${given.length.toLocaleString("en")}` : "";
      return `${where} must have at most ${most} characters${has}`;
    }
    case "invalid_type":
      return given === undefined ? `${where} is missing` : `${where} must be ${kind(issue.expected)}`;
    case "invalid_value": {
      if (given === undefined) return `${where} is missing`;
      const known = issue.values.map(String);
      return `${quote(String(given))} is not one of ${known.join(", ")}${didYouMean(String(given), known)}`;
    }
    case "invalid_key": {
      const problem = issue.issues[0]?.message ?? "is not a valid name";
      return problem.startsWith('"') ? `${where.replace(/ .*/, "")}: ${problem}` : `${where} ${problem}`;
    }
    default:
      return `${where} ${issue.message.replace(/^Invalid input: /, "")}`;
  }
}

/** The option or argument that a part of the input came from. */
function nameOf(command: CliCommand, path: readonly PropertyKey[]): string {
  const [field = "", ...inside] = path.map(String);
  if (field === "tasks") return taskName(inside);
  if (field === "variables") return `--var ${inside.join(".")}`;
  if (field === "artifacts") return `--artifact ${inside.join(".")}`;
  if (field === "set") return `--set ${inside.join(".")}`;
  const word = command.positionals.find((each) => each.slice(1, -1) === field);
  if (word !== undefined) return word;
  if (Object.hasOwn(command.options, field)) return `--${field}`;
  return command.positionals[0] ?? `--${field}`;
}

function taskName([index, ...field]: readonly string[]): string {
  if (index === undefined) return "the list of tasks";
  return `task ${Number(index) + 1}${field.length === 0 ? "" : `: its ${field.join(".")}`}`;
}

const kinds: Readonly<Record<string, string>> = {
  array: 'a list: [{"id": "t1", "title": "..."}]',
  string: "text",
  object: "an object with id and title",
};

function kind(expected: string): string {
  return kinds[expected] ?? `of type ${expected}`;
}

function at(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  }, input);
}
