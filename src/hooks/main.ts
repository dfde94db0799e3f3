import { existsSync, statSync, writeSync } from "node:fs";
import { handleHookEvent } from "../app/continuity/events/handle-hook-event.ts";
import { createHookPorts } from "../app/continuity/ports/hook-ports.ts";
import { hookOutput } from "../hosts/contract/contract.ts";
import { contracts, hostSession, hostVersion } from "../hosts/contracts.ts";
import { type HostEvent, parseHookInput } from "../hosts/hook-input.ts";
import { hostProcess } from "../sessions/conversation.ts";
import { normalizeSessionId } from "../sessions/normalize-session-id.ts";
import { infoFlags, readWords } from "./is-needed.ts";
import { readInput } from "./read-input.ts";

/** A hook must never hold up its host: what is not done by then is dropped. */
const deadlineMs = 2_000;
/** Claude Code gives all SessionEnd hooks together 1.5 seconds. */
const lastDeadlineMs = 900;

/**
 * Answers one hook event. Whatever happens, it ends in time with exit code 0 and prints nothing the host would reject: a
 * hook that fails must cost its user nothing.
 */
export async function runHook(words: readonly string[]): Promise<void> {
  if (words.some((word) => infoFlags.includes(word))) return print((await import("./about.ts")).aboutHook(words) ?? "");
  const { host, via, event: name } = readWords(words);
  const patienceMs = name === "SessionEnd" ? lastDeadlineMs : deadlineMs;
  setTimeout(leave, patienceMs);
  let folder = ".";
  try {
    const event = parseHookInput(host, name, await readInput(process.stdin, patienceMs / 2));
    folder = [event?.cwd, process.env[contracts[host].projectVariable ?? ""]].find(isFolder) ?? folder;
    if (event !== null) print(await answer(event, folder, via));
  } catch (error) {
    await log(folder, [error]);
  }
  leave();
}

async function answer(event: HostEvent, folder: string, via: string): Promise<string> {
  const { host, name } = event;
  const ports = await createHookPorts(folder);
  const session = normalizeSessionId(event.session ?? hostSession(process.env)) ?? `${host}-${process.ppid}`;
  const hook = { session, host, version: hostVersion(host, process.env), via, parent: hostProcess() };
  const reply = await handleHookEvent(ports, hook, event);
  await log(ports.roots.stateRoot, ports.troubles);
  return hookOutput(contracts[host], name, reply);
}

/** Loaded on demand: usually there is nothing to log. */
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

/** Writes synchronously: creating a stream takes longer than the write. */
function print(output: string): void {
  if (output !== "") writeSync(1, output);
}
