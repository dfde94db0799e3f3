import { commands } from "../../src/cli/commands.ts";

/** These ask, and do something only with a yes. */
const confirmed = ["rm", "gc", "push"];

const values: Readonly<Record<string, string>> = {
  "<workflow>": "feature",
  "<file>": "notes.md",
  "<loop>": "build",
  "<phase>": "1/2",
  "<event>": "1",
  "<run>": "feature-20260101_000000-abcd",
  "<step>": "plan",
};

/** `init` writes into the project, and `serve` goes on until it is stopped: its own tests have broken projects. */
const elsewhere = ["init", "serve"];

/** Every command of the command line with harmless arguments, so that a new one joins by itself; in the order of the help. */
export const commandCalls: readonly (readonly string[])[] = commands
  .filter(({ name }) => !elsewhere.includes(name))
  .flatMap(({ name, positionals }) => {
    const needed = positionals.filter((word) => word.startsWith("<")).map(argumentFor);
    const words = [...name.split(" "), ...needed];
    return [[...words, ...(confirmed.includes(name) ? ["--yes"] : [])]];
  });

/** What a person might say no to at a terminal. */
export const questions: readonly (readonly string[])[] = [
  ["trust", "feature"],
  ["start", "feature", "Something", "--new"],
  ["start", "extra", "Something", "--new"],
  ["approve"],
  ["push"],
];

function argumentFor(positional: string): string {
  const [first = ""] = positional.slice(1, -1).split("|");
  return values[positional] ?? first;
}
