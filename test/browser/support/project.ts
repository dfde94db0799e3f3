import { execFileSync } from "node:child_process";
import { compose } from "../../../src/app/compose.ts";
import { changeRun } from "../../../src/app/runs/change-run.ts";
import { recordReply } from "../../../src/app/shown/record-reply.ts";
import { readFrozen } from "../../../src/app/workflows/frozen-template.ts";
import type { Command } from "../../../src/model/command.ts";
import type { Caller } from "../../../src/operation/operation.ts";
import { createFace, type Face, nobody } from "../../app/world.ts";
import { createProject, type Project } from "../../cli/program.ts";
import { broken, bugfix, driven, feature, release } from "./workflows.ts";

/** A project with its own clock, so that its runs have a past. */
export interface Workplace extends Project {
  /** Sets the clock to so many minutes before the real time; later calls move it with the real time. */
  ago(minutes: number): void;
  pass(minutes: number): void;
  agent(session: string): Face;
  person(): Face;
  /** Records what an agent has used, as a hook or a runner does. */
  uses(runId: string, session: string, used: { turns?: number; tokens?: number; cost?: number }): Promise<void>;
}

export async function createWorkplace(name = "harbour"): Promise<Workplace> {
  const project = createProject(name);
  for (const [file, text] of Object.entries({ feature, bugfix, release, driven })) {
    project.write(`.holdfast/workflows/${file}.yaml`, text);
  }
  project.write("check.mjs", 'console.log("24 tests passed");\n');
  project.write("README.md", `# ${name}\n`);
  project.write(".gitignore", ".holdfast/runs/\nuntracked/\n");
  const env = { ...project.env, GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...words: string[]) => execFileSync("git", words, { cwd: project.root, env, stdio: "pipe" });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "--quiet", "--message", "Begin");
  let offset = 0;
  const face = (caller: Partial<Caller>) =>
    createFace({
      ...compose(project.root, { ...nobody, ...caller, env: { ...project.env, USER: "ada", ...caller.env } }),
      now: () => new Date(Date.now() + offset).toISOString(),
    });
  const workplace: Workplace = {
    ...project,
    ago(minutes) {
      offset = -minutes * 60_000;
    },
    pass(minutes) {
      offset += minutes * 60_000;
    },
    agent: (session) => face({ session, env: { CLAUDECODE: "1" } }),
    person: () => face({ isTerminal: true, confirm: async () => true }),
    async uses(runId, session, used) {
      const { deps } = face({ session, env: { CLAUDECODE: "1" } });
      const standing = await deps.journal.load(runId);
      if (standing === null) throw new Error(`there is no run ${runId}`);
      const { template } = await readFrozen(deps, standing.run);
      const command: Command = { type: "count", session, turns: 0, ...used };
      const changed = await changeRun(deps, standing, template, { command });
      if (!changed.ok) throw new Error(changed.refusal.code);
    },
  };
  for (const workflow of ["feature", "bugfix"]) await workplace.person().ok("trust", { workflow, yes: true });
  return workplace;
}

/** What waits for a person, one of each kind, by the run's id. */
export interface Waiting {
  readonly approval: string;
  readonly question: string;
  readonly budget: string;
  readonly failure: string;
}

export interface Filled extends Waiting {
  /** Two agents work on it. */
  readonly parallel: string;
}

const plan = `## Offline charts

1. Cache the tiles of the last trip (src/tiles/cache.ts)
2. Draw from the cache when there is no connection
3. Say how old a tile is

Risk: 200 MB on small devices, so the cache gets a limit.
`;

/** Runs in every state that the page can show: done, working with parallel tasks, and one for each way to wait. */
export async function fillWorkplace(place: Workplace): Promise<Filled> {
  await finishedRuns(place);
  await abortedRun(place);
  const parallel = await parallelRun(place);
  const approval = await approvalRun(place);
  const budget = await budgetRun(place);
  const failure = await failedRun(place);
  const question = await questionRun(place);
  place.ago(0);
  return { approval, question, budget, failure, parallel };
}

async function start(place: Workplace, session: string, workflow: string, summary: string): Promise<string> {
  const { runId } = await place.agent(session).ok("start", { workflow, summary, another: true });
  return runId;
}

/** Gives an agent its next visit, and records what it is shown, as the MCP server does. */
async function takeVisit(place: Workplace, run: string, session: string): Promise<void> {
  const agent = place.agent(session);
  const outcome = await agent.ask("next", { run });
  if (!outcome.ok) throw new Error(outcome.refusal.code);
  await recordReply(agent.deps, { kind: "tool", operation: "next", run, outcome, content: outcome.value }, "now");
}

/** Does the next visit of a run, in so many minutes and for so much. */
async function work(place: Workplace, run: string, session: string, minutes: number, output: string): Promise<void> {
  const agent = place.agent(session);
  await takeVisit(place, run, session);
  place.pass(minutes);
  await place.uses(run, session, { turns: 1, tokens: minutes * 2_300, cost: minutes * 0.031 });
  await agent.ok("advance", { run, output });
}

async function finishedRuns(place: Workplace): Promise<void> {
  const stories = [
    ["The tide table skips a day in leap years", 9 * 24 * 60, 7],
    ["Depths are shown in feet although metres were chosen", 6 * 24 * 60, 12],
    ["The list of harbours jumps while it loads", 3 * 24 * 60, 4],
    ["A wrong time zone after a flight", 26 * 60, 9],
  ] as const;
  for (const [index, [summary, ago, minutes]] of stories.entries()) {
    place.ago(ago);
    const session = `done-${index}`;
    const run = await start(place, session, "bugfix", summary);
    await work(place, run, session, minutes, "The test fails as expected: test/tides.test.ts");
    await work(place, run, session, minutes * 2, "Counted days instead of dates.");
    await work(place, run, session, 3, "All 24 tests pass.");
  }
}

async function abortedRun(place: Workplace): Promise<void> {
  place.ago(50 * 60);
  const run = await start(place, "aborted", "bugfix", "Nobody can reproduce this");
  place.pass(20);
  await place.person().ok("abort", { run, reason: "It was the old version." });
}

async function atBuild(place: Workplace, session: string, summary: string): Promise<string> {
  const run = await start(place, session, "feature", summary);
  await work(place, run, session, 4, "Clear: no connection means no map. Open: how old may a tile be?");
  await work(place, run, session, 11, plan);
  await takeVisit(place, run, session);
  await place.agent(session).ok("advance", { run, output: "The plan holds.", outcome: "approved" });
  return run;
}

async function parallelRun(place: Workplace): Promise<string> {
  place.ago(130);
  const run = await atBuild(place, "ada-1", "Charts without a connection");
  const titles = [
    "Cache the tiles",
    "Draw from the cache",
    "Show the age of a tile",
    "Limit the cache",
    "Tell what is missing",
  ];
  const tasks = titles.map((title, index) => ({ id: `t${index + 1}`, title, description: "" }));
  await place.agent("ada-1").ok("tasks", { run, loop: "build", tasks });
  await work(place, run, "ada-1", 22, "src/tiles/cache.ts");
  await work(place, run, "ada-1", 6, "12 tests pass.");
  await place.agent("ada-1").ok("next", { run });
  await place.agent("ada-2").ok("next", { run });
  return run;
}

async function approvalRun(place: Workplace): Promise<string> {
  place.ago(95);
  const session = "mara-1";
  const run = await atBuild(place, session, "Share a route with a link");
  await place
    .agent(session)
    .ok("tasks", { run, loop: "build", tasks: [{ id: "t1", title: "Make the link", description: "" }] });
  await work(place, run, session, 16, "src/share/link.ts");
  await work(place, run, session, 5, "9 tests pass.");
  place.pass(8);
  place.write("src/share/link.ts", `export const link = (route) => "/r/" + route.id;\n`);
  place.write("README.md", "# harbour\n\nRoutes can be shared with a link.\n");
  await place.agent(session).ok("next", { run });
  await place.uses(run, session, { turns: 1, tokens: 41_000, cost: 0.62 });
  await place.agent(session).no("advance", { run, output: "The pull request is open: routes can be shared." });
  return run;
}

async function budgetRun(place: Workplace): Promise<string> {
  place.ago(70);
  const session = "budget-1";
  const run = await start(place, session, "bugfix", "The compass is off by 180 degrees");
  await place.agent(session).ok("next", { run });
  for (let turn = 0; turn < 3; turn++) {
    place.pass(6);
    await place.uses(run, session, { turns: 1, tokens: 18_000, cost: 0.27 });
  }
  await place.agent(session).no("advance", { run, output: "Still not reproduced." });
  return run;
}

async function failedRun(place: Workplace): Promise<string> {
  place.ago(48);
  const session = "failed-1";
  const run = await start(place, session, "bugfix", "Export of a logbook loses its last line");
  await work(place, run, session, 9, "test/export.test.ts fails.");
  await place.agent(session).ok("next", { run });
  place.pass(14);
  place.write(
    "check.mjs",
    'console.log("FAIL test/export.test.ts > keeps the last line\\n  expected 3 lines, got 2");process.exit(1);\n',
  );
  await place.agent(session).no("advance", { run, output: "Fixed the writer." });
  place.write("check.mjs", 'console.log("24 tests passed");\n');
  await place.agent(session).ok("advance", { run, output: "The file format has no room for it.", failed: true });
  return run;
}

async function questionRun(place: Workplace): Promise<string> {
  place.ago(21);
  const session = "question-1";
  const run = await start(place, session, "feature", "Warn before the tide turns");
  await place.agent(session).ok("next", { run });
  place.pass(3);
  await place
    .agent(session)
    .ok("ask", { run, question: "How long before the turn should the warning come: 15, 30 or 60 minutes?" });
  return run;
}

/** A workflow that cannot be loaded, for the screen that says where its mistakes are. */
export function addBroken(place: Workplace): void {
  place.write(".holdfast/workflows/broken.yaml", broken);
}
