import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { deliverNotices } from "../../../../src/app/continuity/ports/deliver-notices.ts";
import { decideQueued, queueNotices, withQueued } from "../../../../src/app/continuity/ports/queued-notices.ts";
import { readFrozen } from "../../../../src/app/workflows/frozen-template.ts";
import type { Notice } from "../../../../src/engine/commands/notices.ts";
import { HoldfastError, isHoldfastError } from "../../../../src/errors.ts";
import type { RunJournal, Standing } from "../../../../src/journal/run-journal.ts";
import type { RunEvent } from "../../../../src/model/event.ts";
import type { StartedRun } from "../../../../src/model/run.ts";
import type { Deps } from "../../../../src/operation/operation.ts";
import { noSessionLogs } from "../../../../src/sessions/session-log.ts";
import { createNoticeQueue, type NoticeQueue } from "../../../../src/store/notice-queue.ts";
import { readAll } from "../../../../src/store/store.ts";
import { cases } from "../../../dose.ts";
import { makeFolder, type Project, startProject } from "../../../store/project.ts";

let folder: string;
let remove: () => void;
let origin: Project;
let worlds = 0;

beforeAll(async () => {
  ({ folder, remove } = makeFolder());
  origin = await startProject(join(folder, "origin"));
});
afterAll(() => remove());

/** A shared store, and a machine whose hooks queue notices about its run. Each call of `process` is a new process. */
function makeWorld() {
  const number = worlds++;
  const shared = join(folder, `shared-${number}`);
  cpSync(origin.folder, shared, { recursive: true });
  const local = join(folder, `local-${number}`);
  mkdirSync(join(local, origin.runId), { recursive: true });
  const deps = () => origin.openIn(shared);
  return { deps, local, queue: createNoticeQueue(local, origin.runId) };
}

type World = ReturnType<typeof makeWorld>;

function portsOf(deps: Deps, journal: RunJournal = deps.journal) {
  const templateOf = async (run: StartedRun) => (await readFrozen(deps, run)).template;
  return { journal, sessions: noSessionLogs, now: deps.now, templateOf };
}

async function load(journal: RunJournal): Promise<Standing> {
  const standing = await journal.load(origin.runId);
  if (standing === null) throw new Error("the run is gone");
  return standing;
}

/** What a hook does: it reads the queue and its copy, and queues what it has noticed. */
async function notice({ deps, queue }: World, commands: readonly Notice[]): Promise<Standing> {
  const ports = portsOf(deps());
  const queued = queue.read();
  const copy = await load(ports.journal);
  const standing = await withQueued(ports, queued, copy);
  // What an earlier hook has remembered, if anything, is what this one would find out.
  const remembered = queue.recall(copy.head, queued);
  expect(remembered ?? standing.run).toEqual(standing.run);
  await queueNotices(ports, queue, standing, commands);
  return withQueued(ports, queue.read(), await load(ports.journal));
}

async function eventsOf({ deps }: World): Promise<RunEvent[]> {
  return (await readAll(deps().store.read(origin.runId))).flatMap(({ events }) => events);
}

const start = (session: string): Notice => ({ type: "start-session", session, host: "claude", source: "startup" });
const end = (session: string): Notice => ({ type: "end-session", session, reason: "exit" });
const mark = (session: string, trigger: string): Notice => ({ type: "begin-compaction", session, trigger });

it("a queued notice counts at once for hooks, and is recorded by the next delivery with its time", async () => {
  const world = makeWorld();
  const seen = await notice(world, [start("s1")]);
  expect(seen.run.sessions.map(({ id, ended }) => [id, ended])).toContainEqual(["s1", null]);
  expect(await eventsOf(world)).toHaveLength((await eventsOf(makeWorld())).length);
  const deps = world.deps();
  const delivered = await deliverNotices(portsOf(deps), world.queue, await load(deps.journal));
  expect(delivered.run.sessions).toEqual(seen.run.sessions);
  expect((await eventsOf(world)).at(-1)).toMatchObject({
    type: "session-started",
    session: "s1",
    delivers: [expect.any(String)],
  });
  expect(readdirSync(join(world.local, origin.runId))).toEqual([]);
});

it("a notice that changes nothing is not queued", async () => {
  const world = makeWorld();
  await notice(world, [start("s1")]);
  await notice(world, [start("s1"), end("unknown")]);
  expect(world.queue.read()).toHaveLength(1);
});

it("a server that cannot be reached leaves the queue as it is", async () => {
  const world = makeWorld();
  await notice(world, [start("s1")]);
  const deps = world.deps();
  const unreachable = new HoldfastError("store-unreachable", { where: "db", problem: "down", committed: "no" });
  const journal = { ...deps.journal, append: () => Promise.reject(unreachable) };
  const delivery = deliverNotices(portsOf(deps, journal), world.queue, await load(deps.journal));
  await expect(delivery).rejects.toBe(unreachable);
  expect(world.queue.read()).toHaveLength(1);
});

class Killed extends Error {}

/** A process that is killed, or gets no answer, before or after some of its steps. */
function frail(s: fc.Scheduler, fate: () => Fate, { journal, queue }: { journal: RunJournal; queue: NoticeQueue }) {
  const step = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
    await s.schedule(Promise.resolve(), name);
    const ends = fate();
    if (ends === "killed before") throw new Killed();
    const done = await act();
    await s.schedule(Promise.resolve(), name);
    if (ends === "killed after") throw new Killed();
    if (ends === "answer lost" && name === "append") {
      throw new HoldfastError("store-unreachable", { where: "db", problem: "cut", committed: "unknown" });
    }
    return done;
  };
  const now = <T>(act: () => T): T => {
    const ends = fate();
    if (ends === "killed before") throw new Killed();
    const done = act();
    if (ends === "killed after") throw new Killed();
    return done;
  };
  return {
    journal: {
      ...journal,
      load: (runId) => step("load", () => journal.load(runId)),
      append: (...words) => step("append", () => journal.append(...words)),
    } satisfies RunJournal,
    queue: {
      ...queue,
      retire: () => now(() => queue.retire()),
      clear: (ids) => now(() => queue.clear(ids)),
    } satisfies NoticeQueue,
  };
}

type Fate = "goes on" | "killed before" | "killed after" | "answer lost";
const fates = fc.infiniteStream(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant<Fate>("goes on") },
    { weight: 4, arbitrary: fc.constantFrom<Fate>("killed before", "killed after", "answer lost") },
  ),
);

async function deliverFrailly(world: World, s: fc.Scheduler, fate: () => Fate): Promise<void> {
  const deps = world.deps();
  const { journal, queue } = frail(s, fate, { journal: deps.journal, queue: world.queue });
  try {
    await deliverNotices(portsOf(deps, journal), queue, await load(journal));
  } catch (error) {
    if (!(error instanceof Killed || isHoldfastError(error, "store-unreachable"))) throw error;
  }
}

/** Another machine goes on with the run. */
async function writeElsewhere(world: World, s: fc.Scheduler, text: string): Promise<void> {
  await s.schedule(Promise.resolve(), "elsewhere");
  const { journal } = world.deps();
  const standing = await load(journal);
  const event = { type: "summary-set", seq: standing.run.seq + 1, at: standing.run.updatedAt, summary: text } as const;
  try {
    await journal.append(origin.runId, standing, [event]);
  } catch (error) {
    if (!isHoldfastError(error, "version-conflict")) throw error;
  }
}

const actions = fc.array(fc.constantFrom("start", "end", "mark"), { maxLength: 6 });
type Action = "start" | "end" | "mark";

function commandsOf(session: string, done: readonly Action[]): Notice[] {
  return done.map((action, number) => {
    if (action === "mark") return mark(session, String(number));
    return action === "start" ? start(session) : end(session);
  });
}

/** The events of one session if each notice were recorded at once. */
async function expected(commands: readonly Notice[]): Promise<RunEvent["type"][]> {
  const { journal, templateOf } = portsOf(origin.open());
  const { run } = await load(journal);
  const queued = commands.map((command) => ({ id: "", at: run.updatedAt, version: 1, place: 0, notice: command }));
  return decideQueued(await templateOf(run), run, queued).events.map(({ type }) => type);
}

it("every notice is recorded once and in order, whoever is killed, gets no answer or delivers at the same time", async () => {
  const hooks = fc.array(actions, { minLength: 1, maxLength: 3 });
  const property = fc.asyncProperty(fc.scheduler(), hooks, fates, fc.nat(4), async (s, sessions, chance, others) => {
    const world = makeWorld();
    const fate = () => chance.next().value ?? "goes on";
    const hook = async (done: readonly Action[], index: number) => {
      for (const command of commandsOf(`s${index}`, done)) {
        await s.schedule(Promise.resolve(), `hook ${index}`);
        await notice(world, [command]);
      }
    };
    const running = [
      ...sessions.map(hook),
      ...Array.from({ length: 6 }, () => deliverFrailly(world, s, fate)),
      ...Array.from({ length: others }, (_, number) => writeElsewhere(world, s, String(number))),
    ];
    await s.waitFor(Promise.all(running));

    const deps = world.deps();
    await deliverNotices(portsOf(deps), world.queue, await load(deps.journal));
    const events = await eventsOf(world);
    for (const [index, done] of sessions.entries()) {
      const own = events.filter((event) => "session" in event && event.session === `s${index}`);
      expect(own.map(({ type }) => type)).toEqual(await expected(commandsOf(`s${index}`, done)));
    }
    expect(readdirSync(join(world.local, origin.runId))).toEqual([]);
  });
  await fc.assert(property, cases({ quick: 50, long: 700, soak: 20_000 }));
});
