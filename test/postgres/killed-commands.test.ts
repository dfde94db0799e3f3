import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createNoticeQueue } from "../../src/store/notice-queue.ts";
import { ended } from "../cli/program.ts";
import { counted, times } from "../dose.ts";
import { makeDatabase, type TestDatabase } from "./database.ts";
import { type Machine, makeTeam, session, tell } from "./team.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await makeDatabase();
});
afterEach(() => database.drop());

const as = { HOLDFAST_SESSION: session };

/** A line of steps with no gate. */
const line = (count: number) =>
  `name: line\ndescription: Many steps\nsteps:\n${Array.from(
    { length: count },
    (_, n) => `  - { id: step-${n}, type: action, instructions: Go on }\n`,
  ).join("")}`;

interface Event {
  readonly type: string;
  readonly output?: string;
  readonly delivers?: readonly string[];
}

const eventsOf = (journal: string): Event[] =>
  journal
    .trim()
    .split("\n")
    .flatMap((text) => JSON.parse(text).events);

async function journalThere(run: string): Promise<string> {
  const rows = await database.query("SELECT line FROM holdfast.commits WHERE run = $1 ORDER BY version", [run]);
  return rows.map((row) => `${row.line}\n`).join("");
}

/** Runs a command and kills it at a random moment of its life, or just after; true if it had succeeded by then. */
async function killed(machine: Machine, words: readonly string[], lifeMs: number): Promise<boolean> {
  const child = machine.begin([...words, "--json"], as);
  const end = ended(child);
  // Nothing of the shared store happens in the first part, in which the program is loaded.
  await Promise.race([end, pause(lifeMs * (0.3 + 0.8 * Math.random()))]);
  child.kill("SIGKILL");
  const { code, stdout, stderr } = await end;
  if (code !== null && code !== 0) throw new Error(stdout + stderr);
  return code === 0;
}

/** How long a command takes here and now. */
async function lifeOf(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

test("an advance that is killed is there once or not at all, and both clones go on with the run", async () => {
  const kills = counted(times({ quick: 6, long: 40, soak: 400 }));
  const team = makeTeam(database);
  const [ann, bob] = [await team.join("ann"), await team.join("bob")];
  ann.write(".holdfast/workflows/line.yaml", line(2 * kills + 2));
  const { runId } = await ann.json(["start", "line"], as);
  const advance = (output: string) => ["advance", "--run", runId, "--output", output];
  const lifeMs = await lifeOf(() => bob.json(advance("whole-first"), as));
  const acknowledged = ["whole-first"];
  const maybe: string[] = [];
  for (let n = 0; n < kills; n++) {
    const [one, other] = n % 2 === 0 ? [ann, bob] : [bob, ann];
    const list = (await killed(one, advance(`killed-${n}`), lifeMs)) ? acknowledged : maybe;
    list.push(`killed-${n}`);
    await (n % 4 < 2 ? one : other).json(advance(`whole-${n}`), as);
    acknowledged.push(`whole-${n}`);
  }

  await expect.poll(() => database.connections()).toBe(0);
  const status = await ann.json(["status", "--run", runId], as);
  await bob.json(["status", "--run", runId], as);
  const stored = await journalThere(runId);
  expect([ann.journal(runId), bob.journal(runId)]).toEqual([stored, stored]);
  const outputs = eventsOf(stored).flatMap(({ type, output }) => (type === "visit-ended" ? [output ?? ""] : []));
  expect(outputs.filter((output) => !maybe.includes(output))).toEqual(acknowledged);
  expect(new Set(outputs).size).toBe(outputs.length);
  expect(status.step).toBe(`step-${outputs.length}`);
  await expect.poll(() => database.connections()).toBe(0);
});

test("notices that several killed processes deliver at the same time are recorded once each", async () => {
  const rounds = counted(times({ quick: 3, long: 20, soak: 200 }));
  const ann = await makeTeam(database).join("ann");
  const { runId } = await ann.json(["start", "steps"], as);
  const queue = createNoticeQueue(`${ann.clone}/.holdfast/runs`, runId);
  const status = ["status", "--run", runId];
  await ann.json(status, as);
  const before = eventsOf(await journalThere(runId)).length;
  const lifeMs = await lifeOf(() => Promise.all([ann.json(status, as), ann.json(status, as)]));
  const noticed = new Set<string>();
  for (let n = 0; n < rounds; n++) {
    await tell(ann, "PreCompact", { trigger: "auto" });
    await tell(ann, "PreCompact", { trigger: "manual" });
    for (const { id } of queue.read()) noticed.add(id);
    await Promise.all([killed(ann, status, lifeMs), killed(ann, status, lifeMs)]);
  }
  await Promise.all([ann.json(status, as), ann.json(status, as)]);

  expect(queue.read()).toEqual([]);
  const stored = await journalThere(runId);
  expect(ann.journal(runId)).toBe(stored);
  const events = eventsOf(stored).slice(before);
  expect(events.flatMap(({ delivers = [] }) => delivers).toSorted()).toEqual([...noticed].toSorted());
  expect(events.filter(({ type }) => type === "compaction-began")).toHaveLength(2 * rounds);
  expect(noticed.size).toBe(2 * rounds);
  await expect.poll(() => database.connections()).toBe(0);
});
