import { version } from "../project/version.ts";

const help = `Answer one event of an agent program: its JSON on standard input, the answer on standard output.

Usage: holdfast hook [--host claude|codex] [--via NAME] <event> < event.json

holdfast init writes this into the agent's settings. It always ends with exit code 0;
what went wrong is in .holdfast/hooks.log.
`;

/** What a person, or `holdfast doctor`, may ask of the hook itself; null when it is called for an event. */
export function aboutHook(words: readonly string[]): string | null {
  if (words.includes("--version")) return `${version()}\n`;
  return words.includes("--help") || words.includes("-h") ? help : null;
}
