import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import type { HookEventName } from "../../src/hosts/contract/contract.ts";
import type { HostName } from "../../src/hosts/contract/names.ts";
import { ended, type Project, program } from "../cli/program.ts";

/** The bundled hook, as a host starts it. */
export const hookProgram = join(dirname(program), "hook.cjs");

/** The hook keeps the code that it has compiled in the user's home, so all tests share one. */
const home = join(dirname(program), "../home");

/** A hook that takes so much longer than its own deadline hangs, however busy the machine is. */
const patienceMs = 30_000;

export interface HookCalling {
  readonly host?: HostName;
  /** Who installed the hook. */
  readonly via?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Standard input as it is, instead of the input as JSON. */
  readonly stdin?: string | Uint8Array;
  /** Leaves standard input open, as a careless host would. */
  readonly staysOpen?: boolean;
  /** A line for a shell in which `"$@"` is the hook, to start it in another way. */
  readonly shell?: string;
  /** The user that the hook runs as, where the tests run as the superuser, whom no rights bind. */
  readonly user?: number;
  /** Another copy of the hook. */
  readonly copy?: string;
}

export interface HookEnded {
  /** Null when it had to be killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  // biome-ignore lint/suspicious/noExplicitAny: a program's JSON is compared with literals
  readonly answer: any;
}

/** Tells the hook of an event, and waits for its end. */
export async function runHook(
  project: Project,
  event: HookEventName | string,
  input: Readonly<Record<string, unknown>> = {},
  calling: HookCalling = {},
): Promise<HookEnded> {
  const { host = "claude", via = "project", cwd = project.root, env = {}, shell } = calling;
  const words = [process.execPath, calling.copy ?? hookProgram, "--host", host, "--via", via, event];
  const [command = "", ...rest] = shell === undefined ? words : ["/bin/sh", "-c", shell, "sh", ...words];
  const child = spawn(command, rest, {
    cwd,
    env: { ...project.env, HOME: home, ...env },
    timeout: patienceMs,
    killSignal: "SIGKILL",
    ...(calling.user === undefined ? {} : { uid: calling.user, gid: calling.user }),
  });
  child.stdin.on("error", () => {});
  child.stdin.write(calling.stdin ?? JSON.stringify({ cwd, hook_event_name: event, ...input }));
  if (calling.staysOpen !== true) child.stdin.end();
  const { code, stdout, stderr } = await ended(child);
  child.stdin.destroy();
  return { code, stdout, stderr, answer: stdout.startsWith("{") ? JSON.parse(stdout) : null };
}

/** What the model is told by an answer; empty when nothing. */
export function contextOf({ answer }: Pick<HookEnded, "answer">): string {
  return answer?.hookSpecificOutput?.additionalContext ?? answer?.additionalContext ?? "";
}
