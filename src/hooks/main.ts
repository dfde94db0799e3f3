import { hostProcess } from "../app/continuity/host-process.ts";
import { openScene } from "../app/continuity/open-scene.ts";
import { respond } from "../app/continuity/respond.ts";
import { logTrouble } from "../app/continuity/trouble-log.ts";
import { sessionOf } from "../app/session-of.ts";
import { type HostName, hookOutput, hostNames } from "../hosts/contract.ts";
import { type HostEvent, parseHookInput } from "../hosts/hook-input.ts";
import { aboutHook } from "./about.ts";
import { readInput } from "./read-input.ts";

/** A hook must never hold its host up: what is not done by then is left undone. */
const deadlineMs = 2_000;
/** SessionEnd has a second and a half for all hooks together. */
const lastDeadlineMs = 900;

/**
 * Answers one event of a host. Whatever happens, it ends in time with exit code 0, and says nothing that the host would
 * reject: a hook that fails must cost its user nothing.
 */
export async function runHook(words: readonly string[]): Promise<void> {
  const about = aboutHook(words);
  if (about !== null) return say(about);
  const { host, via, name } = readWords(words);
  const giveUp = setTimeout(() => process.exit(0), name === "SessionEnd" ? lastDeadlineMs : deadlineMs);
  try {
    const event = parseHookInput(host, name, await readInput(process.stdin, deadlineMs / 2));
    if (event !== null) await say(await answer(event, via));
  } catch (error) {
    logTrouble(process.cwd(), error);
  }
  clearTimeout(giveUp);
  process.exitCode = 0;
}

async function answer(event: HostEvent, via: string): Promise<string> {
  const { host, name } = event;
  const scene = await openScene(event.cwd ?? process.env.CLAUDE_PROJECT_DIR ?? process.cwd());
  const session = sessionOf(event.session ?? undefined) ?? `${host}-${process.ppid}`;
  const teller = { session, host, via, parent: hostProcess() };
  const said = await respond(scene, teller, event);
  for (const trouble of scene.troubles) logTrouble(scene.roots.stateRoot, trouble);
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

async function say(output: string): Promise<void> {
  if (output !== "") await new Promise<void>((resolve) => process.stdout.write(output, () => resolve()));
}
