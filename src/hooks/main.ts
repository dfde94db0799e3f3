import { existsSync, statSync, writeSync } from "node:fs";
import { handleHookEvent } from "../app/continuity/events/handle-hook-event.ts";
import { createHookPorts } from "../app/continuity/ports/hook-ports.ts";
import { type HostName, hookOutput, hostNames } from "../hosts/contract/contract.ts";
import { type HostEvent, parseHookInput } from "../hosts/contract/hook-input.ts";
import { hostProcess } from "../sessions/conversation.ts";
import { normalizeSessionId } from "../sessions/normalize-session-id.ts";
import { readInput } from "./read-input.ts";

/** A hook must never hold its host up: what is not done by then is left undone. */
const deadlineMs = 2_000;
const asksAbout = ["--version", "--help", "-h"];
/** SessionEnd has a second and a half for all hooks together. */
const lastDeadlineMs = 900;

/**
 * Answers one event of a host. Whatever happens, it ends in time with exit code 0, and says nothing that the host would
 * reject: a hook that fails must cost its user nothing. `afterwards` is for what may wait until the answer was given.
 */
export async function runHook(words: readonly string[], afterwards: () => void = () => {}): Promise<void> {
  if (words.some((word) => asksAbout.includes(word))) return say((await import("./about.ts")).aboutHook(words) ?? "");
  const { host, via, name } = readWords(words);
  const patienceMs = name === "SessionEnd" ? lastDeadlineMs : deadlineMs;
  setTimeout(leave, patienceMs);
  let folder = ".";
  try {
    const event = parseHookInput(host, name, await readInput(process.stdin, patienceMs / 2));
    folder = [event?.cwd, process.env.CLAUDE_PROJECT_DIR].find(isFolder) ?? folder;
    if (event !== null) say(await answer(event, folder, via));
    afterwards();
  } catch (error) {
    await log(folder, [error]);
  }
  leave();
}

async function answer(event: HostEvent, folder: string, via: string): Promise<string> {
  const { host, name } = event;
  const ports = await createHookPorts(folder);
  const session = normalizeSessionId(event.session ?? process.env.CLAUDE_CODE_SESSION_ID) ?? `${host}-${process.ppid}`;
  const hook = { session, host, via, parent: hostProcess() };
  const said = await handleHookEvent(ports, hook, event);
  await log(ports.roots.stateRoot, ports.troubles);
  return hookOutput(host, name, said);
}

/** `--host claude --via project SessionStart`. Read by hand: a parser for five words would cost more than they do. */
function readWords(words: readonly string[]) {
  const after = (option: string) => (words.includes(option) ? words[words.indexOf(option) + 1] : undefined);
  const host: HostName = hostNames.find((known) => known === after("--host")) ?? "claude";
  const via = after("--via") ?? "user";
  const name = words.find((word, index) => !word.startsWith("--") && !words[index - 1]?.startsWith("--")) ?? null;
  return { host, via, name };
}

/** Mostly there is nothing to log, and nothing is loaded for it. */
async function log(folder: string, troubles: readonly unknown[]): Promise<void> {
  if (troubles.length === 0) return;
  const { logTrouble } = await import("../project/trouble-log.ts");
  for (const trouble of troubles) logTrouble(folder, trouble);
}

function isFolder(path: string | null | undefined): path is string {
  return path != null && existsSync(path) && statSync(path).isDirectory();
}

function leave(): never {
  process.exit(0);
}

/** Written at once: a stream of its own takes longer to make than this takes. */
function say(output: string): void {
  if (output !== "") writeSync(1, output);
}
