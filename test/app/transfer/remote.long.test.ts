import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readRemoteCopy, withObjects } from "../../../src/app/transfer/remote-copy.ts";
import { printPulled, printPush } from "../../../src/cli/print/print-transfer.ts";
import { createPaint } from "../../../src/cli/terminal/paint.ts";
import { type Machine, type Machines, makeMachines } from "./machines.ts";

const paint = createPaint({ colours: false, columns: null });

const flow = `
steps:
  - { id: plan, type: action, instructions: "Plan it" }
  - { id: build, type: action, instructions: "Build it" }
  - { id: ship, type: action, instructions: "Ship it" }
`;

/** A run that stands at its second step, and is nowhere else. */
async function started(): Promise<Machines & { readonly run: string }> {
  const machines = makeMachines({ flow });
  const agent = machines.ada.agent();
  const { runId: run } = await agent.ok("start", { workflow: "flow" });
  await agent.ok("advance", { output: "a plan" });
  return { ...machines, run };
}

/** The same, and it is on the remote. */
async function carried(): Promise<Machines & { readonly run: string }> {
  const machines = await started();
  await machines.ada.person().ok("push", { run: machines.run });
  return machines;
}

function gitIn(repository: string, args: readonly string[], input: string | Buffer = ""): string {
  const identity = ["-c", "user.name=Eve", "-c", "user.email=eve@example.org"];
  return execFileSync("git", [...identity, "--git-dir", repository, ...args], { input, encoding: "utf8" }).trim();
}

function refOf(run: string): string {
  return `refs/holdfast/runs/${run}`;
}

/** What someone else could put in the place of a run: these files, by the ids of their blobs. */
function overwrite(remote: string, run: string, files: Readonly<Record<string, string>>): void {
  const tree = Object.entries(files).map(([name, id]) => `100644 blob ${id}\t${name}\n`);
  const commit = gitIn(remote, ["commit-tree", gitIn(remote, ["mktree"], tree.join("")), "-m", "x"]);
  gitIn(remote, ["update-ref", refOf(run), commit]);
}

function blob(remote: string, content: string | Buffer): string {
  return gitIn(remote, ["hash-object", "-w", "--stdin"], content);
}

function templateOf(machine: Machine, run: string): string {
  return readdirSync(machine.runFolder(run)).find((name) => name.startsWith("template-")) ?? "";
}

describe("a push", () => {
  it("looks where it goes to, not where is fetched from", async () => {
    const { ada, remote, run } = await carried();
    const fork = `${remote}-fork`;
    gitIn(fork, ["init", "--quiet", "--bare"]);
    ada.git("remote", "set-url", "--push", "origin", fork);
    const asked: string[] = [];
    const person = () => ada.person({ confirm: async (question) => asked.push(question) > 0 });
    expect(await person().ok("push", { run })).toMatchObject({ result: "first" });
    await ada.agent().ok("advance", { output: "built" });
    expect(await person().ok("push", { run })).toMatchObject({ result: "pushed", version: 3 });
    expect(await person().ok("push", { run })).toMatchObject({ result: "same" });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(`(${fork})`);
    expect(gitIn(fork, ["log", "--format=%s", refOf(run)]).split("\n")).toEqual([
      `${run}, version 3`,
      `${run}, version 2`,
    ]);
  });

  it.each(["uploadpack.hideRefs", "receive.hideRefs", "transfer.hideRefs"])(
    "ends with an error where the server has set %s, and asks no second time as if it were the first",
    async (setting) => {
      const { ada, remote, run } = await carried();
      gitIn(remote, ["config", setting, "refs/holdfast"]);
      await ada.agent().ok("advance", { output: "built" });
      const asked: string[] = [];
      const person = () => ada.person({ confirm: async (question) => asked.push(question) > 0 });
      for (const _ of ["once", "and again"]) {
        await expect(person().ok("push", { run })).rejects.toMatchObject({ code: "git-failed" });
      }
      expect(asked.filter((question) => question.includes("for the first time"))).toEqual([]);
    },
    30_000,
  );

  it("says so when only one of two addresses takes it", async () => {
    const { ada, remote, run } = await carried();
    const fork = `${remote}-fork`;
    execFileSync("git", ["clone", "--quiet", "--mirror", remote, fork]);
    ada.git("remote", "set-url", "--push", "--add", "origin", remote);
    ada.git("remote", "set-url", "--push", "--add", "origin", fork);
    await ada.agent().ok("advance", { output: "built" });
    expect(await ada.person().ok("push", { run })).toMatchObject({ result: "pushed" });
    gitIn(fork, ["update-ref", "-d", refOf(run)]);
    await ada.agent().ok("advance", { output: "shipped" });
    await expect(ada.person().ok("push", { run })).rejects.toMatchObject({
      code: "git-failed",
      message: expect.stringContaining("only some of the push URLs of origin accepted the run"),
    });
  });

  it("goes to a remote that mirrors everything, and leaves the rest of it alone", async () => {
    const { ada, remote, run } = await carried();
    ada.git("config", "remote.origin.mirror", "true");
    ada.git("branch", "another");
    await ada.agent().ok("advance", { output: "built" });
    expect(await ada.person().ok("push", { run })).toMatchObject({ result: "pushed" });
    expect(gitIn(remote, ["branch", "--format=%(refname:short)"])).toBe("main");
  });
});

describe("a run on the remote that was damaged", () => {
  const damages: readonly [string, (remote: string, run: string) => void][] = [
    ["is a blob", (remote, run) => void gitIn(remote, ["update-ref", refOf(run), blob(remote, "x")])],
    ["has no journal", (remote, run) => overwrite(remote, run, { readme: blob(remote, "x") })],
    ["has a journal of nonsense", (remote, run) => overwrite(remote, run, { "journal.jsonl": blob(remote, "{}\n") })],
  ];

  it.each(damages)("and %s gives way to the one that is here, when a person says so", async (_, damage) => {
    const { ada, bob, remote, run } = await carried();
    damage(remote, run);
    expect(await ada.person().no("push", { run })).toMatchObject({ code: "copy-damaged", choose: "--keep local" });
    expect(await ada.person().ok("push", { run, keep: "local" })).toMatchObject({ result: "pushed" });
    expect((await bob.script().ok("pull")).runs).toMatchObject([{ runId: run, result: "new" }]);
  });

  it("is no matter where someone has only put a tag on it", async () => {
    const { ada, bob, remote, run } = await carried();
    const pushed = gitIn(remote, ["rev-parse", refOf(run)]);
    gitIn(remote, ["tag", "--annotate", "--message", "x", "mark", pushed]);
    gitIn(remote, ["update-ref", refOf(run), gitIn(remote, ["rev-parse", "mark"])]);
    expect((await bob.script().ok("pull")).runs).toMatchObject([{ result: "new" }]);
    await ada.agent().ok("advance", { output: "built" });
    expect(await ada.person().ok("push", { run })).toMatchObject({ result: "pushed" });
    expect(gitIn(remote, ["rev-parse", `${refOf(run)}^`])).toBe(pushed);
  });

  it("by a template that is far too long, or by more files than any run has, is refused by itself", async () => {
    const { ada, bob, remote, run } = await carried();
    const journal = blob(remote, ada.journal(run));
    const name = templateOf(ada, run);
    overwrite(remote, run, { "journal.jsonl": journal, [name]: blob(remote, Buffer.alloc(17 * 1024 * 1024)) });
    expect(await bob.script().no("pull", { run })).toMatchObject({
      code: "copy-damaged",
      problem: `${name}: it is not a template of this version`,
    });
    const many = Array.from({ length: 30_000 }, (_, n) => [`file-${n}`, journal]);
    overwrite(remote, run, Object.fromEntries(many));
    expect(await bob.script().no("pull", { run })).toMatchObject({ problem: "it has too many files" });
  });

  it("by templates that nobody needs is no matter: they are not read", async () => {
    const { ada, bob, remote, run } = await carried();
    const name = templateOf(ada, run);
    const unread = blob(remote, "no template");
    overwrite(remote, run, {
      "journal.jsonl": blob(remote, ada.journal(run)),
      [name]: blob(remote, readFileSync(join(ada.runFolder(run), name))),
      "template-00.json": unread,
      "template-01.json": unread,
    });
    expect((await bob.script().ok("pull")).runs).toMatchObject([{ result: "new" }]);
    expect(readdirSync(bob.runFolder(run)).filter((file) => file.startsWith("template-"))).toEqual([name]);
    const asked: string[] = [];
    // git does not take a bare repository for one unless it is named.
    const repository = { folder: remote, env: { ...process.env, GIT_DIR: remote }, signal: undefined };
    const origin = { repository, name: "origin", address: remote, pushTarget: "origin" };
    await withObjects(repository, (objects) => {
      const read: typeof objects.read = (object, most) => {
        asked.push(object);
        return objects.read(object, most);
      };
      return readRemoteCopy({ ...objects, read }, origin, run, gitIn(remote, ["rev-parse", refOf(run)]));
    });
    expect(asked).toHaveLength(3);
    expect(asked).not.toContain(unread);
  });
});

describe("a link in the place of a run's folder", () => {
  const problem = "it is a symbolic link; state is not stored behind one";

  it("is not followed by a pull or an import", async () => {
    const { ada, bob, run } = await carried();
    const elsewhere = join(bob.home, "precious");
    mkdirSync(elsewhere);
    mkdirSync(join(bob.project, ".holdfast/runs"), { recursive: true });
    symlinkSync(elsewhere, bob.runFolder(run));
    expect((await bob.script().ok("pull")).runs).toMatchObject([
      { runId: run, result: "refused", problem: expect.stringContaining(problem) },
    ]);
    const { text } = await ada.script().ok("export", { run });
    await expect(bob.script().ok("import", { text: text ?? "", source: "x" })).rejects.toMatchObject({
      code: "state-broken",
      message: expect.stringContaining(problem),
    });
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it("lets nothing out by a push or an export", async () => {
    const { ada, bob, run } = await carried();
    mkdirSync(join(bob.project, ".holdfast/runs"), { recursive: true });
    symlinkSync(ada.runFolder(run), bob.runFolder(run));
    const linked = { code: "file-unreadable", message: expect.stringContaining("it is a symbolic link") };
    await expect(bob.person().ok("push", { run })).rejects.toMatchObject(linked);
    await expect(bob.script().ok("export", { run })).rejects.toMatchObject(linked);
  });
});

it("a run without its template does not leave, and says which file is missing", async () => {
  const { ada, run } = await started();
  const name = templateOf(ada, run);
  rmSync(join(ada.runFolder(run), name));
  const broken = {
    code: "state-broken",
    message: `${run}: its template ${name} is missing`,
    next: "restore the file, or start a new run",
  };
  await expect(ada.person().ok("push", { run })).rejects.toMatchObject(broken);
  await expect(ada.script().ok("export", { run })).rejects.toMatchObject(broken);
  const file = join(ada.home, "run.holdfast");
  await expect(ada.script().ok("export", { run, file })).rejects.toMatchObject(broken);
  expect(existsSync(file)).toBe(false);
});

describe("a run whose tasks agents work on", () => {
  const shared = `
loops:
  build: [{ id: do, instructions: "Do {task.title}" }]
steps:
  - { id: build, type: loop, parallel: 2 }
`;
  const claimOf = "build/a/do#1@1";

  it("is received without their claims, and both sides are told", async () => {
    const { ada, bob } = makeMachines({ shared });
    const one = ada.agent("one");
    const { runId: run } = await one.ok("start", { workflow: "shared" });
    const tasks = ["a", "b"].map((id) => ({ id, title: id }));
    await one.ok("tasks", { loop: "build", tasks });
    const pushed = await ada.person().ok("push", { run });
    expect(pushed).toMatchObject({ claimed: ["a"] });
    expect(printPush(pushed, paint)).toMatch(/agents work on a here; whoever receives the run can claim that, too/);

    const pulled = await bob.person().ok("pull", { run });
    expect(pulled).toMatchObject({ runs: [{ result: "new", released: ["a"] }] });
    expect(printPulled(pulled, paint)).toMatch(/a: free again/);
    expect(await bob.person().ok("status")).toMatchObject({ openTasks: [{ state: "free" }, { state: "free" }] });
    expect(await bob.agent("one").no("advance", { output: "x", token: claimOf })).toMatchObject({ code: "claim-lost" });
    expect(await bob.agent("two").ok("next")).toMatchObject({ token: "build/a/do#1@2" });
    await bob.person().ok("push", { run });

    const back = await ada.person().ok("pull", { run });
    expect(back).toMatchObject({ runs: [{ result: "updated", released: ["a"] }] });
    expect(await one.no("advance", { output: "late", token: claimOf })).toMatchObject({ code: "claim-lost" });
    expect(await one.no("advance", { output: "x", token: "build/a/do#1@2" })).toMatchObject({ code: "claim-lost" });
    expect(await one.ok("next")).toMatchObject({ token: "build/a/do#1@3" });
    expect(readdirSync(ada.runFolder(run)).filter((name) => name.startsWith("lease-"))).toEqual(["lease-3.json"]);
  });
});
