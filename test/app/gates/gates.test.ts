import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkVisit } from "../../../src/app/gates/check-visit.ts";
import { findMissing } from "../../../src/app/gates/find-missing.ts";
import { changeRun } from "../../../src/app/runs/change-run.ts";
import { resolveAdvance } from "../../../src/app/runs/resolve-advance.ts";
import { readFrozen } from "../../../src/app/workflows/frozen-template.ts";
import type { Standing } from "../../../src/journal/run-journal.ts";
import type { AdvanceCommand } from "../../../src/model/command.ts";
import type { Evidence } from "../../../src/model/recorded.ts";
import { wordRefusal } from "../../../src/model/refusal/refusal.ts";
import type { Deps } from "../../../src/operation/operation.ts";
import { type Face, makeWorld, type World, type WorldOptions } from "../world.ts";

/** A project whose one workflow has a step with these gates and a step behind it; its commands are trusted. */
function gated(gate: string, options?: WorldOptions): World {
  const world = makeWorld(options);
  world.config("config.yaml", "trust: all\n");
  world.workflow(
    "gated",
    `variables: { title: "", count: 0, odd: "" }
steps:
  - { id: work, type: action, instructions: Work, gate: ${gate} }
  - { id: after, type: action, instructions: After }`,
  );
  if (options?.git !== false) world.commit();
  return world;
}

async function evidenceOf(face: Face, runId?: string): Promise<readonly Evidence[]> {
  return (await face.events(runId)).flatMap((event) => (event.type === "gates-checked" ? event.evidence : []));
}

async function started(world: World): Promise<Face> {
  const agent = world.agent("s1");
  await agent.ok("start", { workflow: "gated" });
  return agent;
}

describe("a command as a gate", () => {
  it("given as text is run by the shell, and lets the visit end when it passes", async () => {
    const world = gated('[{ run: "echo all | tr a-z A-Z && test -f README.md" }]');
    const agent = await started(world);
    expect(await agent.ok("advance", { output: "done" })).toMatchObject({ step: "after", status: "running" });
    const commit = world.git("rev-parse", "HEAD").trim();
    const durationMs = expect.any(Number);
    const what = "echo all | tr a-z A-Z && test -f README.md";
    expect(await evidenceOf(agent)).toEqual([
      { gate: 0, held: true, what, exitCode: 0, durationMs, tail: "ALL\n", commit, dirty: false },
    ]);
  });

  it("given as a list is run as it is, without a shell", async () => {
    const world = gated('[{ run: [printf, "%s\\n", "$HOME", "a b", "*"] }]');
    const agent = await started(world);
    await agent.ok("advance");
    expect(await evidenceOf(agent)).toMatchObject([{ held: true, exitCode: 0, tail: "$HOME\na b\n*\n" }]);
  });

  it("that fails is a refusal with the tail, and evidence in the journal", async () => {
    const world = gated('[{ run: "echo 2 of 9 tests failed >&2; exit 3" }]');
    const agent = await started(world);
    world.write("README.md", "changed\n");
    const refusal = await agent.no("advance", { output: "done" });
    const what = "echo 2 of 9 tests failed >&2; exit 3";
    expect(refusal).toEqual({ code: "gate-failed", gate: 0, what, exitCode: 3, tail: "2 of 9 tests failed\n" });
    expect(wordRefusal(refusal)).toEqual({
      message: `the gate failed: ${what} (exit 3)\n  | 2 of 9 tests failed`,
      next: "fix the failure above, then advance again",
    });
    expect(await evidenceOf(agent)).toEqual([
      {
        gate: 0,
        held: false,
        what,
        exitCode: 3,
        durationMs: expect.any(Number),
        tail: "2 of 9 tests failed\n",
        commit: world.git("rev-parse", "HEAD").trim(),
        dirty: true,
      },
    ]);
    expect(await agent.ok("status")).toMatchObject({ step: "work", status: "running", token: "work#1" });
  });

  it("that takes too long does not hold, and says so", async () => {
    const world = gated('[{ run: "echo begun; sleep 600", timeout: 700ms }]');
    const agent = await started(world);
    expect(await agent.no("advance")).toMatchObject({
      code: "gate-failed",
      exitCode: null,
      tail: "begun\n[timed out]",
    });
    expect(await evidenceOf(agent)).toMatchObject([{ held: false, timedOut: true }]);
  });

  it("that is cancelled does not hold, and is run again by the next advance", async () => {
    const world = gated('[{ run: "echo ran >> ran.txt" }]');
    await started(world);
    const cancelled = world.script({ signal: AbortSignal.abort() });
    expect(await cancelled.no("advance")).toMatchObject({ code: "gate-failed", tail: "[cancelled]" });
    expect(await world.agent("s1").ok("advance")).toMatchObject({ step: "after" });
    expect(world.read("ran.txt")).toBe("ran\n");
  });

  it("that does not exist does not hold", async () => {
    const agent = await started(gated("[{ run: [no-such-program] }]"));
    expect(await agent.no("advance")).toMatchObject({ code: "gate-failed", exitCode: 127 });
  });

  it("works without git, and without a commit", async () => {
    const bare = gated("[{ run: ['true'] }]", { git: false });
    const agent = await started(bare);
    await agent.ok("advance");
    const [seen] = await evidenceOf(agent);
    expect(Object.keys(seen ?? {})).toEqual(["gate", "held", "what", "exitCode", "durationMs", "tail"]);
  });

  it("is told what is going on", async () => {
    const world = gated("[{ run: [git, --version] }]");
    await started(world);
    const lines: string[] = [];
    await world.script({ progress: (line) => lines.push(line) }).ask("advance");
    expect(lines).toEqual(["gate: git --version"]);
  });
});

describe("where a gate is run", () => {
  it("is the run's own worktree, from wherever the advance comes", async () => {
    const world = gated('[{ run: "pwd; test -f only-here" }]');
    const linked = world.worktree("feature-x");
    await world.agent("s1", linked).ok("start", { workflow: "gated" });
    expect(await world.agent("s1").no("advance")).toMatchObject({ code: "gate-failed", tail: `${linked}\n` });
    world.write("only-here", "in the wrong place");
    mkdirSync(world.path("src/deep"), { recursive: true });
    expect(await world.agent("s1", world.path("src/deep")).no("advance")).toMatchObject({ code: "gate-failed" });
    world.write("../feature-x/only-here", "in the right place");
    expect(await world.agent("s1").ok("advance")).toMatchObject({ step: "after" });
  });

  it("is nowhere when that worktree is gone: no gate holds, and nothing is run elsewhere", async () => {
    const world = gated("[{ run: [touch, ran.txt] }, { exists: README.md }]");
    const linked = world.worktree("feature-x");
    const { runId } = await world.agent("s1", linked).ok("start", { workflow: "gated" });
    rmSync(linked, { recursive: true });
    const agent = world.agent("s1");
    expect(await agent.no("advance")).toEqual({
      code: "gate-failed",
      gate: 0,
      what: "touch ran.txt",
      exitCode: null,
      tail: 'the run\'s worktree "feature-x" is gone; restore it with git worktree add',
    });
    expect(world.git("status", "--porcelain")).toBe("");
    expect(await agent.ok("status")).toMatchObject({ runId, step: "work" });
    world.git("worktree", "prune");
    world.worktree("feature-x");
    expect(await agent.ok("advance")).toMatchObject({ step: "after" });
  });

  it("may have spaces and letters of any script in its path", async () => {
    const world = gated('[{ run: "pwd" }, { exists: "ein Ordner/Übersicht 日本.md" }]', {
      folder: "mein Projekt Ω 日本 (1)",
    });
    const agent = await started(world);
    expect(await agent.no("advance")).toMatchObject({ code: "gate-failed", gate: 1 });
    world.write("ein Ordner/Übersicht 日本.md", "da");
    expect(await agent.ok("advance")).toMatchObject({ step: "after" });
    expect((await evidenceOf(agent)).map(({ tail }) => tail)).toEqual([
      "{project_root}\n",
      "ein Ordner/Übersicht 日本.md: there is no such file",
      "{project_root}\n",
      "",
    ]);
  });
});

describe("a run's variables", () => {
  it("reach a command through its environment only, and are never a part of it", async () => {
    const world = gated(
      '[{ run: "printf %s \\"$HOLDFAST_VAR_TITLE|$HOLDFAST_VAR_COUNT|$HOLDFAST_RUN_ID|{vars.title}\\"" }]',
    );
    const agent = world.agent();
    const variables = { title: "$(touch pwned)`touch pwned`; touch pwned #", count: 3 };
    const { runId } = await agent.ok("start", { workflow: "gated", variables });
    await agent.ok("advance");
    expect(await evidenceOf(agent)).toMatchObject([
      { tail: `$(touch pwned)\`touch pwned\`; touch pwned #|3|${runId}|{vars.title}` },
    ]);
    expect(world.git("status", "--porcelain")).toBe("");
  });

  it("that were set by an earlier advance are there too", async () => {
    const world = makeWorld();
    world.config("config.yaml", "trust: all\n");
    world.workflow(
      "two",
      `steps:
  - { id: first, type: action, instructions: First }
  - { id: second, type: action, instructions: Second, gate: [{ run: 'test "$HOLDFAST_VAR_SCOPE" = "the API"' }] }`,
    );
    const agent = world.agent();
    await agent.ok("start", { workflow: "two" });
    await agent.ok("advance", { variables: { scope: "the API" } });
    expect(await agent.ok("advance")).toMatchObject({ status: "complete" });
  });

  it("that no environment can hold keep the gate from holding, and nothing breaks", async () => {
    const agent = gated("[{ run: ['true'] }]").agent();
    await agent.ok("start", { workflow: "gated", variables: { odd: "a\0b" } });
    expect(await agent.no("advance")).toMatchObject({ code: "gate-failed", exitCode: null });
  });
});

describe("a file as a gate", () => {
  const missing = "there is no such file";
  const outside = "it is outside the project";
  it.each([
    ["a file with content", "docs/plan.md", null],
    ["a glob", '"docs/*.md"', null],
    ["a deep glob", '"**/plan.{md,txt}"', null],
    ["a name that only looks like a glob", '"app/[id]/page (1).tsx"', null],
    ["a link inside the project", "inside.md", null],
    ["several that are all there", '[docs/plan.md, "docs/*.md"]', null],
    ["a missing file", "docs/nope.md", missing],
    ["an empty file", "docs/empty.md", "it is empty"],
    ["a glob that finds nothing", '"docs/*.txt"', "no file matches"],
    ["a glob that finds only empty files", '"docs/em*"', "only empty files match"],
    ["a folder", "docs", "it is a folder, not a file"],
    ["a folder with a slash", "docs/", "it is a folder, not a file"],
    ["a file below a file", "docs/plan.md/x", missing],
    ["a link out of the project", "outside.md", outside],
    ["a link to nothing", "dangling.md", missing],
    ["a glob that finds only a link out", '"out*.md"', "no file matches"],
    ["a path upwards", "../secret.md", outside],
    ["a path upwards in the middle", "docs/../../secret.md", outside],
    ["a glob upwards", '"../*.md"', outside],
    ["an absolute path", "/etc/passwd", outside],
    ["an absolute glob", '"/etc/*"', outside],
    ["a name longer than any file's", "x".repeat(300), missing],
    ["a zero byte", '"a\\0b"', missing],
    ["what is always there: git's own files", '"**/HEAD"', "no file matches"],
    ["what is always there: our own files", '"**/*.json*"', "no file matches"],
    ["what is always there: installed packages", '"**/*.js"', "no file matches"],
    ["installed packages by name", '"node_modules/*/index.js"', null],
  ])("%s", async (_, pattern, problem) => {
    const world = gated(`[{ exists: ${pattern} }]`);
    world.write("docs/plan.md", "a plan");
    world.write("docs/empty.md", "");
    world.write("app/[id]/page (1).tsx", "a page");
    world.write("node_modules/lib/index.js", "a library");
    world.write("../secret.md", "a secret");
    symlinkSync(join(dirname(world.project), "secret.md"), world.path("outside.md"));
    symlinkSync("docs/plan.md", world.path("inside.md"));
    symlinkSync("nowhere", world.path("dangling.md"));
    const agent = await started(world);
    const outcome = await agent.ask("advance");
    if (problem === null) expect(outcome).toMatchObject({ ok: true, value: { step: "after" } });
    else expect(outcome).toMatchObject({ ok: false, refusal: { code: "gate-failed", exitCode: null } });
    const [seen] = await evidenceOf(agent);
    expect(seen?.held).toBe(problem === null);
    expect(seen?.tail?.split(": ").at(-1)).toBe(problem ?? "");
  });

  it("names everything that is missing", async () => {
    const agent = await started(gated('[{ exists: [README.md, one.md, "two*"] }]'));
    expect(await agent.no("advance")).toMatchObject({
      what: "exists README.md, one.md, two*",
      tail: "one.md: there is no such file\ntwo*: no file matches",
    });
  });

  it("is looked for without a person's trust: nothing is run for it", async () => {
    const world = gated("[{ exists: README.md }]");
    rmSync(join(world.configFolder, "config.yaml"));
    expect(await (await started(world)).ok("advance")).toMatchObject({ step: "after" });
  });

  it.each(["+(+(+(+(a|aa)|aaa)|aaaa))b", `${"*a".repeat(14)}b`, `${"**/a".repeat(14)}b`, `${"{a,aa}".repeat(40)}b`])(
    "with a glob made to be slow is answered all the same: %s",
    async (glob) => {
      const world = gated(`[{ exists: "${glob}" }]`);
      world.write("a".repeat(250), "x");
      expect(await (await started(world)).no("advance")).toMatchObject({ code: "gate-failed" });
    },
  );

  it("with a glob beyond the limits, in a run of an older version, says so", async () => {
    const problems = await findMissing(gated("[]").project, ["*".repeat(501), "!(a)*.md"]);
    expect(problems.map((each) => each.split(": the pattern ")[1])).toEqual([
      "is longer than 500 characters",
      "has !(...), which is not supported; name what must exist instead",
    ]);
  });
});

describe("several gates", () => {
  it("are looked at in turn, and the first that does not hold is the last that is looked at", async () => {
    const world = gated('[{ run: "echo one >> ran.txt" }, { exists: plan.md }, { run: "echo three >> ran.txt" }]');
    const agent = await started(world);
    expect(await agent.no("advance")).toMatchObject({ code: "gate-failed", gate: 1 });
    expect(world.read("ran.txt")).toBe("one\n");
    expect((await evidenceOf(agent)).map(({ gate, held }) => [gate, held])).toEqual([
      [0, true],
      [1, false],
    ]);
  });

  it("are all looked at again after something was mended, with the same token", async () => {
    const world = gated('[{ run: "echo one >> ran.txt" }, { exists: plan.md }]');
    const agent = await started(world);
    const advance = { token: "work#1", output: "done" };
    expect(await agent.no("advance", advance)).toMatchObject({ code: "gate-failed" });
    world.write("plan.md", "a plan");
    expect(await agent.ok("advance", advance)).toMatchObject({ step: "after" });
    expect(world.read("ran.txt")).toBe("one\none\n");
  });
});

describe("a gate is not run", () => {
  const counting = '[{ run: "echo ran >> ran.txt" }]';
  const times = (world: World) => world.git("status", "--porcelain", "ran.txt") && world.read("ran.txt").length / 4;

  it("for an advance that came before", async () => {
    const world = gated(counting);
    const agent = await started(world);
    const first = await agent.ok("advance", { token: "work#1", output: "done" });
    expect(await agent.ok("advance", { token: "work#1", output: "done" })).toEqual({ ...first, replayed: true });
    expect(times(world)).toBe(1);
  });

  it("for a stale token, a spent run, a paused one, a failure, or a visit that fails", async () => {
    const world = gated(counting);
    const agent = await started(world);
    expect(await agent.no("advance", { token: "nope#1" })).toMatchObject({ code: "step-stale" });
    expect(await agent.no("advance", { outcome: "nope" })).toMatchObject({ code: "outcome-unexpected" });
    await agent.ok("pause");
    expect(await agent.no("advance")).toMatchObject({ code: "run-paused" });
    await world.script().ok("resume");
    const { runId } = await agent.ok("advance", { failed: true, output: "cannot" });
    expect(await agent.no("advance", { run: runId })).toMatchObject({ code: "decision-needed" });
    await world.person().ok("decide", { verdict: "abandon" });
    expect(await agent.no("advance", { run: runId })).toMatchObject({ code: "run-ended" });
    expect(times(world)).toBe("");
  });
});

describe("a gate that another process is checking", () => {
  const dead = "999999999.1";
  const alive = `${process.ppid}.${startOf(process.ppid)}`;

  /** A run whose gate would leave a file, and another process over the same folder. */
  async function shared(): Promise<{ world: World; here: Deps; take(runner: string): Promise<void> }> {
    const world = gated("[{ run: [touch, ran.txt] }]");
    await started(world);
    const take = async (runner: string) => {
      const { deps } = world.script();
      const standing = await standingOf(deps);
      const { template } = await readFrozen(deps, standing.run);
      const command = { type: "start-gates", token: "work#1", runner, interrupted: true } as const;
      expect(await changeRun(deps, standing, template, { command })).toMatchObject({ ok: true });
    };
    return { world, here: world.script().deps, take };
  }

  async function checkFrom(deps: Deps, standing: Standing) {
    const command: AdvanceCommand = { type: "advance", output: "done" };
    return checkVisit(deps, await resolveAdvance(deps, standing, command), command);
  }

  it("is not started again", async () => {
    const { world, take } = await shared();
    await take(alive);
    world.pass(0.5);
    expect(await world.agent("s1").no("advance")).toEqual({ code: "gate-running", token: "work#1", seconds: 30 });
    expect(world.git("status", "--porcelain")).toBe("");
  });

  it("is not started again by a process that had looked before the other one began", async () => {
    const { world, here, take } = await shared();
    const before = await standingOf(here);
    await take(alive);
    expect(await checkFrom(here, before)).toMatchObject({ ok: false, refusal: { code: "gate-running" } });
    expect(world.git("status", "--porcelain")).toBe("");
  });

  it("is not started again by two that both saw a dead one", async () => {
    const { world, here, take } = await shared();
    await take(dead);
    const before = await standingOf(here);
    await take(alive);
    expect(await checkFrom(here, before)).toMatchObject({ ok: false, refusal: { code: "gate-running" } });
    expect(world.git("status", "--porcelain")).toBe("");
  });

  it("is begun anew when that process has died, and the journal says so", async () => {
    const { world, take } = await shared();
    await take(dead);
    expect(await world.agent("s1").ok("advance")).toMatchObject({ step: "after" });
    expect((await world.agent("s1").events()).map(({ type }) => type).slice(2, 6)).toEqual([
      "gates-started",
      "gates-interrupted",
      "gates-started",
      "gates-checked",
    ]);
  });
});

async function standingOf(deps: Deps): Promise<Standing> {
  const [runId = ""] = await deps.store.list();
  const standing = await deps.journal.load(runId);
  if (standing === null) throw new Error("there is no run");
  return standing;
}

/** The moment that a process was started, as the system counts it. */
function startOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

describe("until on a ralph step", () => {
  const ralph = `steps:
  - id: polish
    type: ralph
    n: 3
    instructions: Polish
    gate: [{ exists: README.md }]
    until: [{ run: "echo looked >> looked.txt; test -f perfect" }, { exists: perfect }]
  - { id: after, type: action, instructions: After }`;

  async function polish(): Promise<readonly [World, Face]> {
    const world = makeWorld();
    world.config("config.yaml", "trust: all\n");
    world.workflow("polish", ralph);
    const agent = world.agent("s1");
    await agent.ok("start", { workflow: "polish" });
    return [world, agent];
  }

  it("ends it early when all its checks hold", async () => {
    const [world, agent] = await polish();
    expect(await agent.ok("advance")).toMatchObject({ step: "polish", ralphIteration: 2 });
    world.write("perfect", "yes");
    expect(await agent.ok("advance")).toMatchObject({ step: "after" });
    const checked = (await agent.events()).filter((event) => event.type === "gates-checked");
    expect(checked.map(({ purpose, evidence }) => [purpose, evidence.map(({ held }) => held)])).toEqual([
      ["gate", [true]],
      ["until", [false]],
      ["gate", [true]],
      ["until", [true, true]],
    ]);
  });

  it("leaves n as the upper limit", async () => {
    const [, agent] = await polish();
    await agent.ok("advance");
    await agent.ok("advance");
    expect(await agent.ok("advance")).toMatchObject({ step: "after" });
  });

  it("is not looked at while the gate does not hold", async () => {
    const [world, agent] = await polish();
    rmSync(world.path("README.md"));
    expect(await agent.no("advance")).toMatchObject({ code: "gate-failed", what: "exists README.md" });
    expect(world.git("status", "--porcelain", "looked.txt")).toBe("");
  });
});

describe("what a gate prints and what the journal keeps of it", () => {
  it("holds no secret of the environment, no path of this machine and no terminal codes", async () => {
    const world = gated('[{ run: "sh ./leak.sh; exit 1" }]');
    world.write(
      "leak.sh",
      String.raw`printf '\033[31mred\033[0m \033]8;;http://x\007link\033]8;;\007 \007\b\r\n'
echo "token $API_TOKEN and $API_TOKEN"; echo "key=$AWS_SECRET_KEY"; echo "short $SHORT_TOKEN plain $PLAIN"
echo "at $PWD/src and $PWD and $HOME/notes and file://$PWD/x.js and $PWD-other"
printf '50%%\r100%%\r\n' >&2`,
    );
    await started(world);
    const env = {
      API_TOKEN: "tok-0123456789",
      AWS_SECRET_KEY: "line one\r\nline two",
      SHORT_TOKEN: "1234567",
      PLAIN: "not-a-secret",
      BLANK_PASSWORD: "            ",
    };
    await world.script({ env }).no("advance", { output: "done" });
    const [runId = ""] = await world.agent().deps.store.list();
    const bytes = world.journal(runId);
    for (const secret of ["tok-0123456789", "line two", world.home, "\\u001b", "\\u0007", "\\b", "\\r"])
      expect(bytes).not.toContain(secret);
    expect(bytes.replaceAll(`${world.project}-other`, "")).not.toContain(world.project);
    const [{ tail = "" } = {}] = await evidenceOf(world.agent());
    expect(tail.split("\n").filter((line) => !/^(50%|100%|)$/.test(line))).toEqual([
      "red link ",
      "token *** and ***",
      "key=***",
      "short 1234567 plain not-a-secret",
      `at {project_root}/src and {project_root} and ~/notes and file://{project_root}/x.js and ${world.project}-other`,
    ]);
  });

  it("names no machine in a path that a URL spells otherwise", async () => {
    const world = gated("[{ run: [node, -e, \"console.log(require('url').pathToFileURL(process.cwd()).href)\"] }]", {
      folder: "mein Projekt 日本",
    });
    const agent = await started(world);
    await agent.ok("advance");
    expect(await evidenceOf(agent)).toMatchObject([{ tail: "file://{project_root}\n" }]);
  });

  it("names no machine in the command either", async () => {
    const world = gated("[{ run: ['true'] }]");
    const path = join(world.project, "x");
    world.workflow("gated", `steps: [{ id: a, type: action, instructions: A, gate: [{ run: [echo, ${path}] }] }]`);
    const agent = await started(world);
    const { runId } = await agent.ok("advance");
    expect(await evidenceOf(agent, runId)).toMatchObject([
      { what: "echo {project_root}/x", tail: "{project_root}/x\n" },
    ]);
  });

  it("is its tail when it is long, on whole lines", async () => {
    const agent = await started(gated('[{ run: "seq 100000; exit 1" }]'));
    const refusal = await agent.no("advance");
    const lines = refusal.code === "gate-failed" ? refusal.tail.split("\n") : [];
    expect(lines[0]).toMatch(/^\[\d+ bytes left out\]$/);
    expect(Number(lines[2])).toBe(Number(lines[1]) + 1);
    expect(lines.slice(-2)).toEqual(["100000", ""]);
  });
});
