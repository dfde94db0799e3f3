import { isIdle } from "../app/continuity/ports/is-idle.ts";

interface Surroundings {
  /** Null if the folder is gone. */
  readonly cwd: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The process that started the hook. */
  readonly parent: number;
}

/**
 * Whether a hook has anything to do. Asked before anything else is loaded, and without the input of the event, which
 * takes longer to read than all of this. Only Claude Code tells enough without it, and only to its own child processes:
 * other programs that it starts pass its variables on.
 */
export function isNeeded(words: readonly string[], { cwd, env, parent }: Surroundings): boolean {
  const event = eventIn(words);
  if (event === null || cwd === null) return true;
  const { CLAUDE_PID: host, CLAUDE_CODE_SESSION_ID: session = "", CLAUDE_PROJECT_DIR: project = cwd } = env;
  if (host !== String(parent) || session === "" || session.length > longestPlainId) return true;
  if (words.some((word) => infoFlags.includes(word))) return true;
  return ![...new Set([cwd, project])].every((folder) => isIdle(event, folder, session));
}

export const infoFlags: readonly string[] = ["--version", "--help", "-h"];

/** Longer ids are stored in another form. */
const longestPlainId = 200;

/** `--host claude --via project SessionStart`: the first word that belongs to no option. */
export function eventIn(words: readonly string[]): string | null {
  return words.find((word, index) => !word.startsWith("--") && !words[index - 1]?.startsWith("--")) ?? null;
}
