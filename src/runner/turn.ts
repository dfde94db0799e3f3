import { findTurn, readTurn, writeTurn } from "../app/driving/turn.ts";
import { recordPrompt } from "../app/shown/record-reply.ts";
import type { Parking } from "../model/driving/driving.ts";
import { isLive } from "../model/run-state.ts";
import type { Hints } from "../model/visit-rules.ts";
import { timerDelay } from "../platform/timers.ts";
import type { AgentEvent, Prompt, Turn } from "./agents/agent.ts";
import type { Driver } from "./driver.ts";
import { createUsageRecorder, isOutOfTime, reachedLimit } from "./spending.ts";

/** How a turn has ended: as the agent says, or because the runner has ended it. */
export type TurnEnd = Exclude<Turn, { type: "answered" }> | Answered | Halt;

/** `halted`: the runner was about to end the turn. That counts if the answer does not end the visit. */
type Answered = Extract<Turn, { type: "answered" }> & { readonly halted?: Parking };

type Halt =
  | { readonly type: "interrupted" }
  /** A budget of the workflow is spent, and a person is asked. */
  | { readonly type: "overspent" }
  | { readonly type: "parked"; readonly parking: Parking }
  | Extract<Turn, { type: "failed" }>;

/** How long an agent has to end its turn after it was interrupted. */
const graceMs = 5_000;
const mostDenials = 3;

/** Gives the agent one prompt and watches over it until its turn has ended. */
export async function takeTurn(driver: Driver, token: string, prompt: Prompt, hints: Hints): Promise<TurnEnd> {
  const { conversation, logs, signal } = driver;
  if (signal.aborted) return { type: "interrupted" };
  const watch = watchTurn(driver, token);
  try {
    logs.write(token, { type: "prompt", text: prompt.text });
    await recordPrompt(driver.deps, driver.runId, token, prompt.text);
    const turn = await conversation.prompt(prompt, hints, watch.onEvent);
    if (turn.type === "answered") await keepAnswer(driver, token, turn);
    const halt = await watch.ended();
    // An answer that was faster than the interruption counts.
    const end = turn.type === "answered" ? answered(turn, halt) : (halt ?? turn);
    if (halt !== null || end.type === "failed") await conversation.drop();
    logs.write(token, { ...end, type: `turn-${end.type}` });
    return end;
  } finally {
    watch.close();
  }
}

/** What was used is recorded next, and may have to wait for the store: a runner that is killed then must not lose the answer. */
async function keepAnswer({ deps, runId }: Driver, token: string, { result }: Answered): Promise<void> {
  if (result === undefined || result.tasks !== undefined) return;
  const { tasks: _, ...kept } = result;
  // What the agent has sent with a call counts more.
  if ((await findTurn(deps, runId, token))?.result === undefined) await writeTurn(deps, runId, { token, result: kept });
}

function answered(turn: Extract<Turn, { type: "answered" }>, halt: Halt | null): Answered {
  return halt?.type === "parked" ? { ...turn, halted: halt.parking } : turn;
}

interface Watch {
  onEvent(event: AgentEvent): void;
  /** Waits until everything is recorded. Not null if the runner has ended the turn. */
  ended(): Promise<Halt | null>;
  close(): void;
}

function watchTurn(driver: Driver, token: string): Watch {
  const { conversation, signal, options, agent, logs, report } = driver;
  const { firstMs, idleMs, resultMs, clockMs } = options.timers;
  let patienceMs = idleMs;
  let halted: Halt | null = null;
  let last: NodeJS.Timeout | undefined;
  const halt = (why: Halt) => {
    if (halted !== null) return;
    halted = why;
    conversation.interrupt();
    last = setTimeout(() => void conversation.drop(), graceMs);
  };
  const quiet = createSilence((seconds) => halt(lost(`nothing was heard from the agent for ${seconds} s`)));
  const usage = createUsageRecorder(driver, token, () => halt({ type: "overspent" }));
  const interrupt = () => halt({ type: "interrupted" });
  signal.addEventListener("abort", interrupt, { once: true });
  const checkLimits = () => {
    const limit = reachedLimit(driver);
    if (limit !== null) halt({ type: "parked", parking: limit });
  };
  let trouble: { readonly cause: unknown } | null = null;
  /** An exception would escape from a listener of the program's output, where nobody catches it. */
  const keepLog = (event: AgentEvent) => {
    try {
      logs.write(token, event);
    } catch (cause) {
      trouble ??= { cause };
      halt(lost("the log of the visit cannot be written"));
    }
  };
  const look = async () => {
    checkLimits();
    const news = await newsOf(driver, token);
    if (news === "overspent") halt({ type: "overspent" });
    if (news === "ended") halt(lost("the run has ended"));
    if (news !== "recorded" || patienceMs <= resultMs) return;
    patienceMs = resultMs;
    quiet.expect(patienceMs);
  };
  // What cannot be read now is reported by the next that has to.
  const clock = setInterval(() => void look().catch(() => {}), clockMs);
  quiet.expect(agent.can.stream ? firstMs : idleMs);
  return {
    onEvent(event) {
      quiet.expect(patienceMs);
      if (event.type === "alive") return;
      keepLog(event);
      if (event.type === "text" || event.type === "tool" || event.type === "note") report(event);
      if (event.type === "permission-denied") {
        report({ type: "denied", tool: event.tool });
        const denials = (driver.denials.get(token) ?? 0) + 1;
        driver.denials.set(token, denials);
        if (denials >= mostDenials) halt({ type: "parked", parking: deniedParking(event) });
      }
      if (event.type === "usage" || event.type === "cost") {
        usage.add(event);
        checkLimits();
      }
    },
    async ended() {
      await usage.recorded();
      if (trouble !== null) throw trouble.cause;
      return halted;
    },
    close() {
      clearTimeout(last);
      clearInterval(clock);
      quiet.close();
      signal.removeEventListener("abort", interrupt);
    },
  };
}

/** What has happened to the visit while the agent works: its budget is spent, the run has ended, its result is recorded. */
async function newsOf(driver: Driver, token: string): Promise<"overspent" | "ended" | "recorded" | null> {
  const { deps, runId } = driver;
  if (await isOutOfTime(driver, token)) return "overspent";
  const standing = await deps.journal.load(runId);
  if (standing !== null && !isLive(standing.run)) return "ended";
  const turn = await readTurn(deps, runId);
  return turn?.token === token && turn.result !== undefined ? "recorded" : null;
}

function lost(reason: string): Extract<Turn, { type: "failed" }> {
  return { type: "failed", failure: { kind: "lost", reason } };
}

/** Tells when nothing has been heard of an agent for as long as is expected. */
function createSilence(tooLong: (seconds: number) => void) {
  let timer: NodeJS.Timeout | undefined;
  const close = () => clearTimeout(timer);
  return {
    expect(ms: number) {
      close();
      timer = setTimeout(() => tooLong(Math.round(ms / 1_000)), timerDelay(ms));
    },
    close,
  };
}

function deniedParking({ tool, allow }: Extract<AgentEvent, { type: "permission-denied" }>): Parking {
  return { why: "denied", reason: `the agent was denied ${tool}; allow it with: ${allow}` };
}
