import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { contentOf } from "../world.ts";
import { type Machine, type Machines, makeMachines } from "./machines.ts";

const twoSteps = `
steps:
  - { id: plan, type: action, instructions: "Plan it in {project_root}" }
  - { id: build, type: action, instructions: "Build it: {outputs.plan}" }
  - { id: ship, type: action, instructions: "Ship it" }
`;

/** A run that stands at its second step, and is on the remote. */
async function carried(): Promise<Machines & { readonly run: string }> {
  const machines = makeMachines({ flow: twoSteps });
  const agent = machines.ada.agent();
  const { runId: run } = await agent.ok("start", { workflow: "flow" });
  await agent.ok("advance", { output: "a plan" });
  await machines.ada.person().ok("push", { run });
  return { ...machines, run };
}

function handsOff({ project, git }: Machine) {
  return {
    branches: git("branch", "--all", "--verbose"),
    status: git("status", "--porcelain"),
    index: git("ls-files", "--stage"),
    files: readdirSync(project),
  };
}

describe("a run that is pushed and pulled", () => {
  it("goes on at the same step on the other machine, in that machine's place", async () => {
    const { ada, bob, run } = await carried();
    expect(await bob.script().ok("pull")).toEqual({
      remote: "origin",
      runs: [{ runId: run, result: "new", step: "build", kept: null, ahead: 0 }],
      left: 0,
    });
    const status = await bob.agent("s2").ok("status");
    expect(status).toMatchObject({ runId: run, step: "build", status: "running" });
    expect(await bob.script().ok("handoff", { run })).toMatchObject({
      text: expect.stringContaining("Build it: a plan"),
    });
    await bob.person().ok("goto", { step: "plan", reason: "again" });
    expect(await bob.agent("s2").ok("status")).toMatchObject({
      instructions: expect.stringContaining(`Plan it in ${bob.project}`),
    });
    expect(bob.journal(run).startsWith(ada.journal(run))).toBe(true);
  });

  it("leaves branches, index and work tree alone on both sides", async () => {
    const { ada, bob, run } = await carried();
    const before = [handsOff(ada), handsOff(bob)];
    await ada.agent().ok("advance", { output: "built" });
    await ada.person().ok("push", { run });
    await bob.script().ok("pull");
    expect([handsOff(ada), handsOff(bob)]).toEqual(before);
    expect(bob.git("for-each-ref", "--format=%(refname)", "refs/holdfast").trim()).toBe(
      `refs/holdfast/remotes/origin/${run}`,
    );
  });

  it("is one commit per push, each on top of the one before, by nobody in particular", async () => {
    const { ada, remote, run } = await carried();
    await ada.agent().ok("advance", { output: "built" });
    await ada.person().ok("push", { run });
    const log = ada.git("--git-dir", remote, "log", "--format=%an <%ae> %s", `refs/holdfast/runs/${run}`);
    expect(log.trim().split("\n")).toEqual([
      `Holdfast <holdfast@localhost> ${run}, version 3`,
      `Holdfast <holdfast@localhost> ${run}, version 2`,
    ]);
    const files = ada.git("--git-dir", remote, "ls-tree", "--name-only", `refs/holdfast/runs/${run}`);
    expect(
      files
        .replace(/-[0-9a-f]{16}/, "-<hash>")
        .trim()
        .split("\n"),
    ).toEqual(["journal.jsonl", "template-<hash>.json"]);
  });

  it("is the same run when it is pulled twice", async () => {
    const { bob, run } = await carried();
    await bob.script().ok("pull");
    const before = contentOf(bob.runFolder(run));
    expect((await bob.script().ok("pull", { run })).runs).toMatchObject([{ result: "same" }]);
    expect(contentOf(bob.runFolder(run))).toEqual(before);
  });

  it("comes back with what was done elsewhere", async () => {
    const { ada, bob, run } = await carried();
    await bob.script().ok("pull");
    await bob.agent("s2").ok("advance", { output: "built by bob" });
    expect(await bob.person().ok("push")).toMatchObject({ result: "pushed" });
    expect(await ada.person().ok("push", { run })).toMatchObject({ result: "behind" });
    expect((await ada.script().ok("pull")).runs).toMatchObject([{ runId: run, result: "updated", step: "ship" }]);
    expect(await ada.agent().ok("status")).toMatchObject({ step: "ship" });
  });

  it("goes on although the other machine had looked at it in between", async () => {
    const { ada, bob, run } = await carried();
    await bob.script().ok("pull");
    await ada.agent().ok("advance", { output: "built" });
    await ada.person().ok("push", { run });
    expect((await bob.script().ok("pull")).runs).toMatchObject([{ result: "updated", step: "ship", kept: null }]);
    expect(await bob.person().ok("push", { run })).toMatchObject({ result: "same" });
    expect((await bob.script().ok("log", { run })).foreign).toEqual(
      (await ada.script().events(run)).map(({ seq }) => seq),
    );
  });
});

describe("a run that went on in two places", () => {
  /** Ada paused it and pushed; Bob built. */
  async function diverged() {
    const machines = await carried();
    const { ada, bob, run, pass } = machines;
    await bob.script().ok("pull");
    pass(5);
    await bob.agent("s2").ok("advance", { output: "built by bob" });
    pass(5);
    await ada.person().ok("pause", { reason: "lunch" });
    await ada.person().ok("push", { run });
    return machines;
  }

  it("is refused with both heads, and neither side is changed", async () => {
    const { ada, bob, run } = await diverged();
    const before = [contentOf(ada.runFolder(run)), contentOf(bob.runFolder(run))];
    const refusal = {
      code: "runs-diverged",
      run,
      from: "origin",
      here: { version: 4, at: "2026-01-31T00:05:00.000Z", step: "ship" },
      there: { version: 3, at: "2026-01-31T00:10:00.000Z", step: "build" },
      choose: "--keep local or --keep remote",
    };
    expect(await bob.person().no("push", { run })).toEqual(refusal);
    expect(await bob.person().no("pull", { run })).toEqual(refusal);
    expect((await bob.person().ok("pull")).runs).toMatchObject([{ runId: run, result: "refused" }]);
    expect([contentOf(ada.runFolder(run)), contentOf(bob.runFolder(run))]).toEqual(before);
  });

  it.each(["push", "pull"] as const)(
    "is as the remote has it after %s --keep remote, and a copy is kept",
    async (way) => {
      const { ada, bob, run } = await diverged();
      const lost = bob.journal(run);
      await bob.person().ok(way, { run, keep: "remote" });
      expect(bob.journal(run).startsWith(ada.journal(run))).toBe(true);
      expect(await bob.agent("s2").ok("status", { run })).toMatchObject({ status: "paused", step: "build" });
      const [kept = ""] = readdirSync(bob.runFolder(run)).filter((name) => name.startsWith("journal.kept-"));
      expect(kept).toMatch(/^journal\.kept-[0-9a-f]{12}\.jsonl$/);
      expect(readFileSync(join(bob.runFolder(run), kept), "utf8")).toBe(lost);
    },
  );

  it.each(["push", "pull"] as const)("is as it is here after %s --keep local, and a copy is kept", async (way) => {
    const { ada, bob, run } = await diverged();
    const [mine, theirs] = [bob.journal(run), ada.journal(run)];
    const told = await bob.person().ok(way, { run, keep: "local" });
    if (way === "pull") expect(told).toMatchObject({ runs: [{ runId: run, result: "sent", step: "ship" }] });
    expect(bob.journal(run)).toBe(mine);
    const [kept = ""] = readdirSync(bob.runFolder(run)).filter((name) => name.startsWith("journal.kept-"));
    expect(readFileSync(join(bob.runFolder(run), kept), "utf8")).toBe(theirs);
    await ada.person().ok("pull", { run, keep: "remote" });
    expect(await ada.agent().ok("status", { run })).toMatchObject({ step: "ship", status: "running" });
  });

  it("is for a person to choose", async () => {
    const { bob, run } = await diverged();
    const refusal = { code: "person-needed", what: "choosing between two sides of a run" };
    expect(await bob.agent("s2").no("pull", { run, keep: "remote" })).toMatchObject(refusal);
    expect(await bob.agent("s2").no("push", { run, keep: "local" })).toMatchObject(refusal);
  });
});

describe("the first push of a run", () => {
  async function started() {
    const machines = makeMachines({ flow: twoSteps });
    const { runId: run } = await machines.ada.agent().ok("start", { workflow: "flow" });
    await machines.ada.agent().ok("advance", { output: "a plan" });
    return { ...machines, run };
  }

  it("says what leaves and to whom, and asks", async () => {
    const { ada, remote, run } = await started();
    const asked: string[] = [];
    const answer = (yes: boolean) => async (question: string) => {
      asked.push(question);
      return yes;
    };
    expect(await ada.person({ confirm: answer(false) }).no("push", { run })).toMatchObject({
      code: "confirmation-needed",
    });
    expect(ada.git("ls-remote", "origin", "refs/holdfast/*")).toBe("");
    expect(await ada.person({ confirm: answer(true) }).ok("push", { run })).toMatchObject({
      result: "first",
      version: 2,
    });
    await ada.agent().ok("advance", { output: "built" });
    await ada.script().ok("push", { run });
    expect(asked).toHaveLength(2);
    expect(asked[0]?.replace(/\d+ kB, \d+ events/, "n kB, n events")).toBe(
      `the run ${run} leaves this machine for the first time: n kB, n events with the outputs of plan, ` +
        `the output of its gates and its workflow, to everyone who can read origin (${remote}).\nSend it?`,
    );
  });

  it("needs a word where nobody can be asked, and is never an agent's to agree to", async () => {
    const { ada, run } = await started();
    expect(await ada.script().no("push", { run })).toMatchObject({ code: "confirmation-needed" });
    const refusal = { code: "person-needed", what: "the first push of a run" };
    expect(await ada.agent().no("push", { run, yes: true })).toMatchObject(refusal);
    expect(await ada.script().ok("push", { run, yes: true })).toMatchObject({ result: "first" });
    await ada.agent().ok("advance", { output: "built" });
    expect(await ada.agent().ok("push", { run })).toMatchObject({ result: "pushed" });
  });
});

describe("a remote", () => {
  it("that kills a push in the middle is as usable as before", async () => {
    const { ada, bob, remote, run } = await carried();
    const hook = join(remote, "hooks/pre-receive");
    writeFileSync(hook, "#!/bin/sh\nkill -9 $PPID\n", { mode: 0o755 });
    await ada.agent().ok("advance", { output: "built" });
    await expect(ada.person().ok("push", { run })).rejects.toMatchObject({ code: "git-failed" });
    expect((await bob.script().ok("pull")).runs).toMatchObject([{ runId: run, step: "build" }]);
    rmSync(hook);
    expect(await ada.person().ok("push", { run })).toMatchObject({ result: "pushed" });
    expect((await bob.script().ok("pull")).runs).toMatchObject([{ runId: run, step: "ship" }]);
  });

  it("is the one that is named, that the branch follows, origin, or the only one", async () => {
    const { ada, bob, remote, run } = await carried();
    ada.git("remote", "add", "backup", remote);
    expect(await ada.person().no("push", { run, remote: "nowhere" })).toEqual({
      code: "remote-unknown",
      remote: "nowhere",
      known: ["backup", "origin"],
    });
    expect(await ada.person().ok("push", { run })).toMatchObject({ remote: "origin" });
    ada.git("config", "branch.main.remote", "backup");
    expect(await ada.person().ok("push", { run })).toMatchObject({ remote: "backup" });
    bob.git("remote", "rename", "origin", "company");
    expect(await bob.script().ok("pull")).toMatchObject({ remote: "company" });
    bob.git("remote", "remove", "company");
    expect(await bob.script().no("pull")).toEqual({ code: "remote-unknown", remote: null, known: [] });
  });

  it("that has no such run says so", async () => {
    const { bob } = await carried();
    const run = "flow-20260131_000000-zzzz";
    expect(await bob.script().no("pull", { run })).toEqual({ code: "remote-run-unknown", run, remote: "origin" });
    expect(await bob.script().no("pull", { run: "../../etc" })).toEqual({ code: "run-unknown", run: "../../etc" });
  });

  it("that wants a password from nobody is a failure, not a wait", async () => {
    const { ada, run } = await carried();
    const server = createServer((_request, response) => {
      response.writeHead(401, { "WWW-Authenticate": 'Basic realm="git"' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    ada.git("remote", "add", "locked", `http://ada:hunter2@127.0.0.1:${port}/project.git`);
    const failed = ada.script().ok("push", { run, remote: "locked" });
    await expect(failed).rejects.toMatchObject({ code: "git-failed" });
    await expect(failed).rejects.not.toMatchObject({ message: expect.stringContaining("hunter2") });
    server.close();
  });

  it("runs none of the hooks that a repository has", async () => {
    const { ada, run } = await carried();
    const mark = join(ada.home, "hook-ran");
    for (const hook of ["pre-push", "reference-transaction", "post-update"]) {
      writeFileSync(join(ada.project, ".git/hooks", hook), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
    }
    await ada.agent().ok("advance", { output: "built" });
    await ada.person().ok("push", { run });
    await ada.person().ok("pull", { run });
    expect(existsSync(mark)).toBe(false);
  });
});

describe("push with all", () => {
  /** Four runs: live and new, live and pushed, ended after its push, and ended without one. */
  async function four() {
    const machines = makeMachines({ flow: twoSteps });
    const { ada } = machines;
    const start = async () => (await ada.agent().ok("start", { workflow: "flow", another: true })).runId;
    const [fresh, pushed, ended, never] = [await start(), await start(), await start(), await start()];
    for (const run of [pushed, ended]) await ada.person().ok("push", { run });
    for (const run of [ended, never]) await ada.person().ok("abort", { run, reason: "enough" });
    return { ...machines, fresh, pushed, ended, never };
  }

  const rowsOf = (pushed: object) =>
    "runs" in pushed ? (pushed.runs as { runId: string; result: string }[]).map((row) => [row.runId, row.result]) : [];

  it("sends what is live or has changed since its last push, and leaves what ended unsent", async () => {
    const { ada, bob, fresh, pushed, ended } = await four();
    const questions: string[] = [];
    const confirm = async (question: string) => questions.push(question) > 0;
    const told: string[] = [];
    const all = await ada.person({ confirm, progress: (line) => void told.push(line) }).ok("push", { all: true });
    expect(all).toMatchObject({ remote: "origin", left: 1 });
    expect(rowsOf(all)).toEqual([
      [fresh, "first"],
      [pushed, "same"],
      [ended, "pushed"],
    ]);
    expect(questions).toEqual([expect.stringMatching(`^the run ${fresh} leaves this machine for the first time: `)]);
    expect(told).toContain("run 2 of 2");
    expect(rowsOf(await ada.person().ok("push", { all: true }))).toEqual(
      [fresh, pushed, ended].map((run) => [run, "same"]),
    );
    expect((await bob.script().ok("pull", { all: true })).runs.map(({ runId }) => runId)).toEqual([
      fresh,
      pushed,
      ended,
    ]);
  });

  it("asks once for all runs that leave for the first time; without a yes only the others are sent", async () => {
    const { ada, fresh, pushed, ended } = await four();
    const other = (await ada.agent().ok("start", { workflow: "flow", another: true })).runId;
    const questions: string[] = [];
    const confirm = async (question: string) => questions.push(question) < 0;
    const all = await ada.person({ confirm }).ok("push", { all: true });
    expect(questions).toEqual([
      expect.stringMatching(
        `^2 runs, ${fresh}, ${other}, leave this machine for the first time: .* to everyone who can read origin`,
      ),
    ]);
    expect(rowsOf(all)).toEqual([
      [fresh, "refused"],
      [pushed, "same"],
      [ended, "pushed"],
      [other, "refused"],
    ]);
    const again = await ada.script().ok("push", { all: true, yes: true });
    expect(rowsOf(again).map(([, result]) => result)).toEqual(["first", "same", "same", "first"]);
  });

  it("asks before it sends again what was removed from the remote", async () => {
    const { ada, fresh, pushed, ended, remote } = await four();
    await ada.script().ok("push", { all: true, yes: true });
    ada.git("--git-dir", remote, "update-ref", "-d", `refs/holdfast/runs/${pushed}`);
    const questions: string[] = [];
    const confirm = async (question: string) => questions.push(question) < 0;
    const all = await ada.person({ confirm }).ok("push", { all: true });
    expect(questions).toEqual([expect.stringMatching(`^the run ${pushed} was on origin before, is no longer there`)]);
    expect(rowsOf(all)).toEqual([
      [fresh, "same"],
      [pushed, "refused"],
      [ended, "same"],
    ]);
  });

  it("reports each run that cannot be sent, sends the others, and loses nothing", async () => {
    const { ada, bob, fresh, pushed, ended } = await four();
    await bob.script().ok("pull");
    await bob.agent("s2").ok("advance", { run: pushed, output: "by bob" });
    await bob.person().ok("push", { run: pushed });
    await ada.agent().ok("advance", { run: pushed, output: "by ada" });
    writeFileSync(join(ada.runFolder(fresh), "journal.jsonl"), "{ broken }\n");
    const before = contentOf(ada.runFolder(pushed));
    const all = await ada.script().ok("push", { all: true, yes: true });
    expect(all).toMatchObject({
      runs: [
        { runId: fresh, result: "refused", problem: expect.any(String), next: expect.any(String) },
        {
          runId: pushed,
          result: "refused",
          problem: expect.stringContaining("origin"),
          next: expect.stringContaining("--keep"),
        },
        { runId: ended, result: "pushed" },
      ],
    });
    expect(contentOf(ada.runFolder(pushed))).toEqual(before);
  });

  it("reports a run that the remote rejects, and sends the others", async () => {
    const { ada, remote, fresh, pushed, ended } = await four();
    await ada.agent().ok("advance", { run: pushed, output: "more" });
    const reject = `#!/bin/sh\ncase "$1" in *${pushed}) echo "not this one" >&2; exit 1;; esac\n`;
    writeFileSync(join(remote, "hooks/update"), reject, { mode: 0o755 });
    const all = await ada.script().ok("push", { all: true, yes: true });
    expect(all).toMatchObject({
      runs: [
        { runId: fresh, result: "first" },
        { runId: pushed, result: "refused", problem: expect.stringContaining("not this one") },
        { runId: ended, result: "pushed" },
      ],
    });
  });
});
