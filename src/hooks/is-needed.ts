import { isIdle } from "../app/continuity/ports/is-idle.ts";
import { defaultHost, type HostName, hostNames } from "../hosts/contract/names.ts";
import { contracts } from "../hosts/contracts.ts";

interface Surroundings {
  /** Null if the folder is gone. */
  readonly cwd: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The process that started the hook. */
  readonly parent: number;
}

/**
 * Whether a hook has anything to do. Asked before anything else is loaded, and without the input of the event, which
 * takes longer to read than all of this. So it needs a host that tells enough in its variables, and started the hook
 * itself: other programs that it starts pass its variables on.
 */
export function isNeeded(words: readonly string[], { cwd, env, parent }: Surroundings): boolean {
  // A runner hands the agent what it needs itself.
  if (env.HOLDFAST_DRIVEN) return false;
  const { host, event } = readWords(words);
  if (event === null || cwd === null) return true;
  const { processVariable = "", sessionVariable, projectVariable = "" } = contracts[host];
  const session = env[sessionVariable ?? ""] ?? "";
  const project = env[projectVariable] ?? cwd;
  if (env[processVariable] !== String(parent) || session === "" || session.length > longestPlainId) return true;
  if (words.some((word) => infoFlags.includes(word))) return true;
  return ![...new Set([cwd, project])].every((folder) => isIdle(event, folder, session));
}

export const infoFlags: readonly string[] = ["--version", "--help", "-h"];

/** Longer ids are stored in another form. */
const longestPlainId = 200;

/** The words of a call. */
export interface HookWords {
  readonly host: HostName;
  readonly via: string;
  /** The first word that belongs to no option. */
  readonly event: string | null;
}

/** `--host claude --via project SessionStart`. Parsed by hand: loading a parser would cost more than five words are worth. */
export function readWords(words: readonly string[]): HookWords {
  const after = (option: string) => (words.includes(option) ? words[words.indexOf(option) + 1] : undefined);
  const host = hostNames.find((known) => known === after("--host")) ?? defaultHost;
  const event = words.find((word, index) => !word.startsWith("--") && !words[index - 1]?.startsWith("--")) ?? null;
  return { host, via: after("--via") ?? "user", event };
}
