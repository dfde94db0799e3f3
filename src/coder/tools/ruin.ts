import type { SimpleCommand } from "./command-line.ts";
import { programOf, shells } from "./unwrap-command.ts";

const downloaders = new Set(["curl", "wget"]);
const everything = /^(?:\/\*?|\/[a-z]+\/?\*?|~\/?\*?|\$\{?HOME\}?\/?\*?|\.\.?\/?|(?:\.\.\/)+\*?)$/i;

/** What is refused whatever the policy says; null if it is nothing of that. */
export function ruinIn(commands: readonly SimpleCommand[]): string | null {
  const names = commands.map(({ words }) => programOf(words));
  const evaluates = (name: string) => shells.has(name) || ["eval", "source", "."].includes(name);
  if (names.some((name) => downloaders.has(name)) && names.some(evaluates))
    return "it downloads a script and runs it; download it to a file and look at it first";
  const removes = commands.some(
    ({ words }) =>
      programOf(words) === "rm" &&
      words.some(({ text }) => /^-[a-z]*r|^--recursive$/i.test(text)) &&
      words.slice(1).some(({ text }) => everything.test(text)),
  );
  return removes ? "it removes everything" : null;
}
