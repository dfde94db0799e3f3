import { expect } from "vitest";
import type { EventOf, EventType, RunEvent } from "../../../src/model/event.ts";
import type { Place } from "../../../src/model/place.ts";
import type { Template } from "../../../src/model/template.ts";

export interface ListedTask {
  readonly id: string;
  readonly before: readonly string[];
  mark: "pending" | "done" | "failed" | "skipped";
}

export interface OpenVisit {
  readonly place: Place;
  /** Undefined outside of loops with `parallel`, null while nobody works on it. */
  claim: number | null | undefined;
  lost: number;
  /** What a clock on the wall says that was spent on it. */
  minutes: number;
}

/** What the events alone say about the tasks and the claims of a run, with what each of them must find there. */
export interface Ledger {
  readonly law: Template;
  readonly lists: Map<string, ListedTask[]>;
  readonly visits: Map<string, OpenVisit>;
  /** Every claim there was, by its number: the task that it is for, and who holds it; null for a caller without a session. */
  readonly claims: Map<number, { readonly task: string; session: string | null }>;
  /** The claims that were lost, released or voided by a receipt, oldest first. */
  readonly lost: number[];
  /** The tasks that failed, in the order in which they did: where several are open, not that of their list. */
  readonly failures: FailedTask[];
  /** The loop whose task ended the run last, and that task. */
  failed: FailedTask | null;
}

interface FailedTask {
  readonly loop: string;
  readonly task: string;
}

export function newLedger(law: Template): Ledger {
  return { law, lists: new Map(), visits: new Map(), claims: new Map(), lost: [], failures: [], failed: null };
}

export function record(ledger: Ledger, event: RunEvent): void {
  // TypeScript cannot see that the entry for `event.type` takes exactly this event.
  const handler = handlers[event.type] as ((ledger: Ledger, event: RunEvent) => void) | undefined;
  handler?.(ledger, event);
}

const handlers: { readonly [T in EventType]?: (ledger: Ledger, event: EventOf<T>) => void } = {
  "tasks-set": setTasks,
  "task-ended": endTask,
  "step-ended": endStep,
  "visit-entered": enter,
  "visit-claimed": claim,
  "claim-lost": unclaim,
  "claim-released": unclaim,
  "visit-ended": close,
  "visit-closed": close,
  "visit-failed": fail,
  "failure-decided": decideFailure,
  "review-decided": decideReview,
  "session-started": follow,
  "run-received": receive,
  "run-completed": end,
  "run-failed": end,
  "run-aborted": end,
  "run-reopened": reopen,
};

/** Those that can begin: not ended, not open, and all that they depend on is done. */
export function readyTasks(ledger: Ledger, loop: string): string[] {
  const list = ledger.lists.get(loop) ?? [];
  const open = openTasks(ledger, loop);
  return list.flatMap(({ id, mark, before }) =>
    mark === "pending" && !open.includes(id) && before.every((each) => markOf(list, each) === "done") ? [id] : [],
  );
}

export function openTasks({ visits }: Ledger, loop: string): string[] {
  return [...visits.values()].flatMap(({ place }) =>
    place.type === "sub-step" && place.step === loop ? [place.task] : [],
  );
}

/** How many tasks of the loop may be open at once; null if it has no claims. */
export function parallelOf({ law }: Ledger, loop: string): number | null {
  const step = law.steps.find(({ id }) => id === loop);
  return step?.type === "loop" ? (step.parallel ?? null) : null;
}

function markOf(list: readonly ListedTask[], id: string): ListedTask["mark"] | undefined {
  return list.find((task) => task.id === id)?.mark;
}

/** Nothing that has ended, or that somebody works on, is dropped from a loop that goes on. */
function setTasks(ledger: Ledger, { loop, tasks, kept }: EventOf<"tasks-set">): void {
  const old = ledger.lists.get(loop) ?? [];
  const open = openTasks(ledger, loop);
  if (open.length > 0) {
    const must = old.filter(({ id, mark }) => mark !== "pending" || open.includes(id)).map(({ id }) => id);
    expect(tasks.slice(0, kept).map(({ id }) => id)).toEqual(must);
  }
  const marks = new Map(old.map((task) => [task.id, task.mark]));
  const list = tasks.map(({ id, depends_on: before = [] }, index): ListedTask => {
    return { id, before, mark: index < kept ? (marks.get(id) ?? "pending") : "pending" };
  });
  ledger.lists.set(loop, list);
}

function endTask(ledger: Ledger, { loop, index, task, status, because }: EventOf<"task-ended">): void {
  const { lists, visits, failures } = ledger;
  const list = lists.get(loop) ?? [];
  const listed = list[index];
  expect({ id: listed?.id, mark: listed?.mark }).toEqual({ id: task, mark: "pending" });
  if (listed === undefined) return;
  expect([...visits.values()].filter(({ place }) => isAt(place, loop, task))).toEqual([]);
  if (status === "skipped") {
    expect(listed.before).toContain(because);
    expect(markOf(list, because ?? "")).toMatch(/failed|skipped/);
  } else expect(listed.before.filter((id) => markOf(list, id) !== "done")).toEqual([]);
  listed.mark = status;
  if (status === "failed") failures.push({ loop, task });
}

function isAt(place: Place, loop: string, task: string): boolean {
  return place.type === "sub-step" && place.step === loop && place.task === task;
}

/** None is forgotten: a loop whose work is over has ended each of its tasks. */
function endStep(ledger: Ledger, { step, status }: EventOf<"step-ended">): void {
  const { lists, visits, failures } = ledger;
  const list = lists.get(step) ?? [];
  const failed = failures.filter(({ loop, task }) => loop === step && markOf(list, task) === "failed");
  if (status === "failed") ledger.failed = failed.at(-1) ?? null;
  expect([...visits.values()].filter(({ place }) => place.step === step)).toEqual([]);
  const isLoop = ledger.law.steps.some(({ id, type }) => id === step && type === "loop");
  if (isLoop && status !== "failed") {
    expect(list.filter(({ mark }) => mark === "pending")).toEqual([]);
  }
}

/** No task begins before what it depends on is done, is open twice, or is one more than may be open. */
function enter(ledger: Ledger, { token, place, claim: held }: EventOf<"visit-entered">): void {
  const { visits, claims, lists } = ledger;
  expect([...visits.keys()]).not.toContain(token);
  const most = place.type === "sub-step" ? parallelOf(ledger, place.step) : null;
  expect(held === undefined).toBe(most === null);
  if (most === null) expect(visits.size).toBe(0);
  if (place.type === "sub-step") {
    const list = lists.get(place.step) ?? [];
    const listed = list[place.index];
    expect(listed).toMatchObject({ id: place.task, mark: "pending" });
    expect(listed?.before.filter((id) => markOf(list, id) !== "done")).toEqual([]);
    expect(openTasks(ledger, place.step)).not.toContain(place.task);
    expect(visits.size).toBeLessThan(most ?? 1);
  }
  if (held && place.type === "sub-step") {
    expect(claims.get(held.number)).toEqual({ task: place.task, session: held.session });
  }
  visits.set(token, { place, claim: held === undefined ? undefined : (held?.number ?? null), lost: 0, minutes: 0 });
}

function claim(ledger: Ledger, { token, as, claim: number, session }: EventOf<"visit-claimed">): void {
  const { claims, visits } = ledger;
  const visit = visits.get(token);
  expect(visit?.claim).toBeNull();
  expect(number).toBe(claims.size + 1);
  expect(as).toBe(`${token}@${number}`);
  if (visit?.place.type !== "sub-step") return;
  claims.set(number, { task: visit.place.task, session: session ?? null });
  rename(ledger, token, as);
  visit.claim = number;
}

function unclaim(ledger: Ledger, event: EventOf<"claim-lost"> | EventOf<"claim-released">): void {
  const visit = ledger.visits.get(event.token);
  expect(visit?.claim).toBe(event.claim);
  expect(event.as).toBe(event.token.replace(/@\d+$/, ""));
  if (visit === undefined) return;
  rename(ledger, event.token, event.as);
  visit.claim = null;
  ledger.lost.push(event.claim);
  if (event.type === "claim-lost") visit.lost++;
}

function rename({ visits }: Ledger, token: string, as: string): void {
  const visit = visits.get(token);
  visits.delete(token);
  expect([...visits.keys()]).not.toContain(as);
  if (visit !== undefined) visits.set(as, visit);
}

function close({ visits }: Ledger, { token }: { readonly token: string }): void {
  expect([...visits.keys()]).toContain(token);
  visits.delete(token);
}

function fail(ledger: Ledger, event: EventOf<"visit-failed">): void {
  if (event.retry === null) close(ledger, event);
  else rename(ledger, event.token, event.retry);
}

function decideFailure(ledger: Ledger, event: EventOf<"failure-decided">): void {
  const visit = ledger.visits.get(event.token);
  expect(visit).toBeDefined();
  if (event.verdict !== "retry") close(ledger, event);
  else if (visit !== undefined) visit.lost = 0;
}

/** The visit has a new budget, unless it was that of the whole run. */
function decideReview({ visits }: Ledger, { token, verdict }: EventOf<"review-decided">): void {
  const visit = visits.get(token);
  if (visit !== undefined && verdict === "continue") visit.minutes = Number.NaN;
}

function follow({ claims, visits }: Ledger, { session, follows }: EventOf<"session-started">): void {
  for (const { claim: number } of visits.values()) {
    const held = number == null ? undefined : claims.get(number);
    if (held !== undefined && follows !== null && held.session === follows) held.session = session;
  }
}

function receive(ledger: Ledger): void {
  for (const [token, visit] of [...ledger.visits]) {
    if (visit.claim == null) continue;
    ledger.lost.push(visit.claim);
    rename(ledger, token, token.replace(/@\d+$/, ""));
    visit.claim = null;
  }
}

/** Whatever leaves a loop closes its visits, but for the one that it is about. */
function end({ visits }: Ledger, { type }: EventOf<"run-completed"> | EventOf<"run-failed"> | EventOf<"run-aborted">) {
  const claimed = [...visits.values()].filter(({ claim: held }) => held !== undefined);
  expect(type === "run-completed" ? visits.size : 0).toBe(0);
  expect(claimed.length).toBeLessThanOrEqual(type === "run-failed" ? 1 : 0);
  visits.clear();
}

/** The task whose failure ended the run is done again. */
function reopen(ledger: Ledger, { step }: EventOf<"run-reopened">): void {
  const { failed, lists } = ledger;
  if (failed?.loop !== step) return;
  const listed = lists.get(step)?.find(({ id }) => id === failed.task);
  if (listed !== undefined) listed.mark = "pending";
  ledger.failed = null;
}
