import { commandsIn, type SimpleCommand, type Word } from "./command-line.ts";

export interface Unwrapped {
  /** False if a command that it starts cannot be told. */
  readonly isKnown: boolean;
  /** True if it may run something that is a part of the line, but none of its commands: a script in a text, for example. */
  readonly mayHide: boolean;
  readonly commands: readonly SimpleCommand[];
}

export const shells = new Set(["sh", "bash", "dash", "zsh", "ksh"]);
const evaluators = new Set(["eval", "source", ".", "alias", "trap"]);
const wrappers = new Set(["env", "xargs", "nohup", "setsid", "nice", "time", "command", "exec", "timeout", "stdbuf"]);

/** A program that starts another one counts together with that. */
export function unwrap(command: SimpleCommand): Unwrapped {
  const { words } = command;
  const name = programOf(words);
  if (shells.has(name)) return unwrapShell(command);
  if (!wrappers.has(name)) {
    const isKnown = name !== "find" || !words.some(({ text }) => /^-(exec|ok|delete|f)/.test(text));
    return { isKnown, mayHide: !isKnown || evaluators.has(name), commands: [command] };
  }
  // Options may have values, so every word may be the program: it must be the first, or all are looked at for denials.
  const rest = words.slice(1).filter(({ text }) => !(name === "timeout" && /^\d+[smh]?$/.test(text)));
  const isPlain = rest[0] !== undefined && !rest[0].text.startsWith("-") && !rest[0].text.includes("=");
  const starts = isPlain ? [0] : rest.map((_, index) => index);
  const added = name === "xargs" ? [{ text: "", isLiteral: false }] : [];
  const nested = starts.map((index) => unwrap({ words: [...rest.slice(index), ...added], writesTo: [], sets: [] }));
  return {
    isKnown: isPlain && nested.every(({ isKnown }) => isKnown),
    mayHide: !isPlain || nested.some(({ mayHide }) => mayHide),
    commands: [{ ...command, words: [] }, ...nested.flatMap(({ commands }) => commands)],
  };
}

function unwrapShell(command: SimpleCommand): Unwrapped {
  const [, option, script] = command.words;
  if (option?.text !== "-c" || script === undefined) return { isKnown: true, mayHide: true, commands: [command] };
  const inner = script.isLiteral ? commandsIn(script.text) : null;
  if (inner === null) return { isKnown: false, mayHide: true, commands: [command] };
  const nested = inner.map(unwrap);
  return {
    isKnown: nested.every(({ isKnown }) => isKnown),
    mayHide: nested.some(({ mayHide }) => mayHide),
    commands: [{ ...command, words: [] }, ...nested.flatMap(({ commands }) => commands)],
  };
}

/** The name of the program, without its folder. */
export function programOf(words: readonly Word[]): string {
  return (words[0]?.text ?? "").replace(/^.*\//, "").toLowerCase();
}
