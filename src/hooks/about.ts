import { version } from "../project/version.ts";

const help = `Handle one hook event of an agent program: JSON on standard input, the reply on standard output.

Usage: holdfast hook [--host NAME] [--via NAME] <event> < event.json

holdfast init adds this command to the settings of the agent. It always exits with 0;
errors are logged to .holdfast/hooks.log.
`;

/** The reply to --help and --version, which `holdfast doctor` uses; null for an event. */
export function aboutHook(words: readonly string[]): string | null {
  if (words.includes("--version")) return `${version()}\n`;
  return words.includes("--help") || words.includes("-h") ? help : null;
}
