import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { createCheckedJournal } from "../../src/journal/checked-journal.ts";
import { createFileStore } from "../../src/store/file-store.ts";
import { createRunFiles } from "../../src/store/run-files.ts";
import { createProject, type Ended, ended, type Project } from "../cli/program.ts";
import { counted, seed, times } from "../dose.ts";
import { createProcessMark, type ProcessMark } from "./marked-processes.ts";

const kills = times({ quick: 4, long: 15, soak: 100 });
/** After three lost attempts at a visit a person is asked. */
const mostLost = 2;

const workflow = `
name: boat
description: Everything that a runner meets
loops:
  build:
    - { id: make, instructions: "DO make {task.title}", context: compact }
    - { id: check, instructions: "DO check", gate: [{ run: [sh, -c, "sleep 0.05; test -f made"] }] }
steps:
  - { id: plan, type: action, instructions: "DO plan" }
  - { id: review, type: action, instructions: "DO review", outcomes: { approved: next, rejected: plan } }
  - { id: saw, type: command, repeatable: true, run: [sh, -c, "sleep 0.1; echo sawn"] }
  - { id: build, type: loop, instructions: "DO list" }
  - { id: polish, type: ralph, n: 3, context: clear, instructions: "DO polish" }
  - { id: ship, type: action, instructions: "DO ship", gate: [{ run: [sh, -c, "sleep 0.1; tail -n1 work.log"] }] }
`;

/** Works a little, leaves a child behind that holds its output, and answers. It rejects until the journal has a rejection. */
const agent = `#!/bin/sh
prompt=$(cat)
sleep 1000 &
did=$(printf '%s' "$prompt" | sed -n 's/^DO //p' | tail -n1)
echo "$did" >> work.log
sleep 0.05
echo "did $did"
case "$did" in
  make*) touch made ;;
  list) echo '{"tasks": [{"id": "k", "title": "keel"}, {"id": "m", "title": "mast"}, {"id": "s", "title": "sail"}]}' ;;
  review)
    if grep -q '"outcome":"rejected"' .holdfast/runs/*/journal.jsonl; then outcome=approved; else outcome=rejected; fi
    echo "{\\"outcome\\": \\"$outcome\\"}" ;;
esac
`;

const visits = [
  ...["plan", "review", "plan", "review", "saw"],
  ...["k", "m", "s"].flatMap((task) => [`build/${task}/make`, `build/${task}/check`]),
  ...["polish", "polish", "polish", "ship"],
];

test(`runners and agents that are killed ${kills} times end every visit exactly once, and leave nothing behind`, async () => {
  const random = numbersFrom(seed);
  for (let done = 0; done < kills; ) {
    const yard = createYard();
    done += await killToTheEnd(yard, random, kills - done);
    await expectWhole(yard);
  }
});

/** A project, and the mark of everything that runners start in it. */
interface Yard {
  readonly project: Project;
  readonly mark: ProcessMark;
}

function createYard(): Yard {
  const project = createProject();
  project.write(".holdfast/workflows/boat.yaml", workflow);
  project.write("../home/.config/holdfast/config.yaml", "trust: all\n");
  chmodSync(project.write("agent.sh", agent), 0o755);
  return { project, mark: createProcessMark() };
}

/** Drives one run to its end. Answers with how often it killed, which is at most `most`. */
async function killToTheEnd(yard: Yard, random: () => number, most: number): Promise<number> {
  let killed = 0;
  while ((await runIn(yard))?.status !== "complete") {
    const { runner, end } = await begin(yard);
    for (let isAlive = true; isAlive && killed < most; ) {
      const hasEnded = await Promise.race([pause(100 + random() * 1_200, false), end.then(() => true)]);
      if (hasEnded) break;
      isAlive = kill(yard, runner, random());
      killed += counted(1, "kills of runners and of their agents");
    }
    const { code, stdout, stderr } = await end;
    expect([0, null], `HOLDFAST_SEED=${seed} ${stdout} ${stderr}`).toContain(code);
  }
  return killed;
}

async function begin({
  project,
  mark,
}: Yard): Promise<{ runner: ChildProcessWithoutNullStreams; end: Promise<Ended> }> {
  const run = await runIn({ project, mark });
  const words = run === null ? ["boat"] : ["--resume", run.id];
  const runner = project.begin(["run", ...words, "--agent", "command:./agent.sh", "--yes"], {
    env: { XDG_CONFIG_HOME: join(project.home, ".config"), ...mark.env },
  });
  return { runner, end: ended(runner) };
}

async function runIn({ project }: Yard): Promise<{ id: string; status: string } | null> {
  const { value } = await project.json(["runs"]);
  const [run] = value.runs;
  return run === undefined ? null : { id: run.runId, status: run.status };
}

/** Kills the runner, its agent (not the shell that guards it), or both in either order. Answers whether the runner lives. */
function kill(yard: Yard, runner: ChildProcessWithoutNullStreams, chance: number): boolean {
  const agents = mayLose(yard) ? yard.mark.find(/^\/bin\/sh \S*agent\.sh$/) : [];
  const isAgent = chance < 0.7;
  const isRunner = chance > 0.3 || agents.length === 0;
  if (isRunner && chance > 0.5) runner.kill("SIGKILL");
  if (isAgent) for (const pid of agents) killIfThere(pid);
  if (isRunner) runner.kill("SIGKILL");
  return !isRunner;
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

/** Whether the agent can be lost once more without that a person is asked. */
function mayLose({ project }: Yard): boolean {
  const lost = new Map<unknown, number>();
  for (const { type, token } of events(project)) {
    if (type === "attempt-lost") lost.set(token, (lost.get(token) ?? 0) + 1);
  }
  return [...lost.values()].every((count) => count < mostLost);
}

async function expectWhole({ project, mark }: Yard): Promise<void> {
  await mark.gone();
  const where = `HOLDFAST_SEED=${seed} ${project.root}`;
  const endings = events(project).filter(({ type }) => type === "visit-ended");
  expect(new Set(endings.map(({ token }) => token)).size, where).toBe(endings.length);
  expect(
    endings.map(({ place }) => placeName(place)),
    where,
  ).toEqual(visits);
  const runs = join(project.root, ".holdfast/runs");
  const journal = createCheckedJournal(createFileStore(runs), createRunFiles(runs));
  const run = await journal.load(basename(project.runFolder()));
  expect(run, where).toMatchObject({ run: { status: "complete" } });
  // A runner that was killed right after its last commit leaves the turn of a visit that has ended.
  const left = join(project.runFolder(), "turn.json");
  if (existsSync(left)) {
    expect(endings.map(({ token }) => token)).toContain(JSON.parse(readFileSync(left, "utf8")).token);
  }
  const logs = join(project.runFolder(), "visits");
  for (const name of readdirSync(logs)) expectLines(join(logs, name));
}

function placeName(place: unknown): string {
  const { step, task, subStep } = place as { step: string; task?: string; subStep?: string };
  return [step, task, subStep].filter((part) => part !== undefined).join("/");
}

function expectLines(file: string): void {
  const text = readFileSync(file, "utf8");
  expect(text.endsWith("\n"), file).toBe(true);
  for (const line of text.trimEnd().split("\n")) expect(() => JSON.parse(line), `${file}: ${line}`).not.toThrow();
}

function events(project: Project): { type: string; [field: string]: unknown }[] {
  const runs = join(project.root, ".holdfast/runs");
  if (!existsSync(runs) || !existsSync(join(project.runFolder(), "journal.jsonl"))) return [];
  const lines = project.journal().split("\n").slice(0, -1);
  return lines.filter((line) => line !== "").flatMap((line) => JSON.parse(line).events);
}

/** Numbers that look random, always the same for a seed. */
function numbersFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
