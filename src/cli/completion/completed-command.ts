import type { CommandWords, OptionSpec } from "../command/command.ts";
import { commonOptions } from "../command/parse.ts";

/** What may stand at one place of a call. */
export type Choice =
  | { readonly type: "values"; readonly values: readonly string[] }
  | { readonly type: "names"; readonly names: "runs" | "workflows" }
  | { readonly type: "files" }
  | { readonly type: "text" };

export interface CompletedOption {
  readonly flags: readonly string[];
  readonly about: string;
  /** Null for an option without a value. */
  readonly choice: Choice | null;
}

/** One command as a shell completes it. */
export interface CompletedCommand {
  readonly name: string;
  readonly about: string;
  readonly options: readonly CompletedOption[];
  readonly positionals: readonly Choice[];
  /** Whether the last positional may be repeated. */
  readonly repeats: boolean;
}

/** Everything that can be completed, from the same table as the help. */
export function completedCommands(commands: readonly CommandWords[]): CompletedCommand[] {
  return commands.map((command) => ({
    name: command.name,
    about: command.about.split(/(?<=[.:;]) /)[0]?.replace(/[.:;]$/, "") ?? "",
    options: Object.entries({ ...command.options, ...commonOptions }).map(([name, spec]) => ({
      flags: [
        `--${name}`,
        ...(spec.negatable === true ? [`--no-${name}`] : []),
        ...(spec.short === undefined ? [] : [`-${spec.short}`]),
      ],
      about: spec.about,
      choice: spec.type === "boolean" ? null : optionChoice(name, spec),
    })),
    positionals: command.positionals.map((positional) => positionalChoice(command.name, positional)),
    repeats: command.positionals.some((name) => name.includes("...")),
  }));
}

function optionChoice(name: string, { value = "", values }: OptionSpec): Choice {
  if (values !== undefined) return { type: "values", values };
  if (name === "run" || name === "run-id") return { type: "names", names: "runs" };
  return value === "FILE" || value === "PATH" ? { type: "files" } : { type: "text" };
}

/** `<workflow>`, `[run]`, `[files...]`, `[template|state|event]`. */
function positionalChoice(command: string, positional: string): Choice {
  const name = positional.slice(1, -1).replace("...", "");
  if (name.includes("|")) return { type: "values", values: name.split("|") };
  // A tracked workflow has a name of its own, which no file tells.
  if (name === "workflow" && !command.startsWith("track ")) return { type: "names", names: "workflows" };
  if (name === "run") return { type: "names", names: "runs" };
  return name === "file" || name === "files" ? { type: "files" } : { type: "text" };
}

/** The second words of commands such as `track start`, by their first word. */
export function families(commands: readonly CompletedCommand[]): ReadonlyMap<string, readonly CompletedCommand[]> {
  const found = new Map<string, CompletedCommand[]>();
  for (const command of commands) {
    const [first = "", second] = command.name.split(" ");
    if (second !== undefined) found.set(first, [...(found.get(first) ?? []), command]);
  }
  return found;
}

/** The first words of all commands, each once. */
export function firstWords(commands: readonly CompletedCommand[]): string[] {
  return [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? name))];
}
