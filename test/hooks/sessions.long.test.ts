import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { by, faberProject } from "../cli/faber.ts";
import { createProject, type Project } from "../cli/program.ts";
import { serve } from "../mcp/serve.ts";
import { hookProgram, runHook } from "./hook-program.ts";
import { eventsOf, filesOf } from "./run-project.ts";

const git = (project: Project, ...words: string[]) =>
  execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.org", ...words], {
    cwd: project.root,
    encoding: "utf8",
  }).trim();

function committed(project: Project, branch: string): string {
  git(project, "init", "--quiet", "--initial-branch", branch);
  git(project, "add", "--all");
  git(project, "commit", "--quiet", "--allow-empty", "--message", "one");
  return git(project, "rev-parse", "HEAD");
}

/** A clone elsewhere, with a bare repository between the two. */
function carryOver(here: Project): Project {
  const there = createProject("a-clone-with-another-name");
  const remote = join(here.home, "remote.git");
  git(here, "init", "--quiet", "--bare", remote);
  git(here, "remote", "add", "origin", remote);
  git(here, "push", "--quiet", "origin", "main");
  git(there, "init", "--quiet", "--initial-branch", "main");
  git(there, "remote", "add", "origin", remote);
  git(there, "pull", "--quiet", "origin", "main");
  return there;
}

/** A host that stays: a shell, whose hooks have it for their parent, until it is told to end or killed. */
async function openHost(project: Project, id: string, source = "startup", cwd = project.root): Promise<ChildProcess> {
  const event = JSON.stringify({ session_id: id, source, cwd, hook_event_name: "SessionStart" });
  const script = 'printf %s "$1" | "$2" "$3" --host claude --via project SessionStart; echo; echo told; read -r rest';
  const child = spawn("/bin/sh", ["-c", script, "sh", event, process.execPath, hookProgram], {
    cwd,
    env: { ...project.env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let said = "";
  for await (const chunk of child.stdout ?? []) {
    said += String(chunk);
    if (said.includes("\ntold\n")) break;
  }
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  const over = once(child, "exit");
  child.kill("SIGKILL");
  await over;
}

const rows = async (project: Project) => (await project.json(["sessions"])).value.session_history;

describe("the sessions of a run", () => {
  it("are all shown with their places, over two machines, and a killed one is lost once the next starts", async () => {
    const here = faberProject();
    const commit = committed(here, "main");
    const first = await openHost(here, "first-session", "startup");
    await here.json(["start", "faber"], by("first-session"));
    await here.json(["advance", "--output", "framed"], by("first-session"));
    await killed(first);
    expect((await here.holdfast(["sessions"])).stdout).toContain("ended without notice");
    await openHost(here, "second-session", "resume");
    await runHook(here, "PreCompact", { session_id: "second-session", trigger: "auto" });
    await runHook(here, "SessionEnd", { session_id: "second-session", reason: "logout" });

    const there = carryOver(here);
    expect((await here.holdfast(["push", "--yes"])).code).toBe(0);
    expect((await there.holdfast(["pull"])).code).toBe(0);
    git(there, "switch", "--quiet", "--create", "elsewhere");
    there.write("packages/app/index.ts", "");
    await openHost(there, "third-session", "resume", join(there.root, "packages/app"));
    await there.json(["advance", "--output", "designed"], by("third-session"));

    const environment = {
      ...{ hostname: hostname(), platform: process.platform, cwd: "." },
      ...{ commit, git_commit: commit, branch: "main" },
    };
    const known = { host: "claude", host_version: null, started_at: expect.any(String) };
    expect(await rows(there)).toEqual([
      {
        ...{ ...known, session_id: "first-session", ended_at: expect.any(String), end_reason: "lost" },
        ...{ environment, phases_completed: ["frame"], steps_advanced: 1, compactions: 0, alive: false },
      },
      {
        ...{ ...known, session_id: "second-session", ended_at: expect.any(String), end_reason: "logout" },
        ...{ environment, phases_completed: [], steps_advanced: 0, compactions: 1, alive: false },
      },
      {
        ...{ ...known, session_id: "third-session", ended_at: null, end_reason: null },
        environment: { ...environment, cwd: "packages/app", branch: "elsewhere" },
        ...{ phases_completed: ["architect"], steps_advanced: 1, compactions: 0, alive: true },
      },
    ]);
    const { stdout } = await there.holdfast(["sessions"]);
    expect(stdout.split("\n").filter((line) => /claude/.test(line))).toHaveLength(3);
    expect(stdout).toContain("(lost)");
    expect((await there.json(["sessions"])).value.current_session_id).toBe("third-session");
    expect((await there.json(["status"])).value.step).toBe("build");
    const stored = [here, there].flatMap((project) => [
      ...filesOf({ root: join(project.root, ".holdfast/runs") }).values(),
    ]);
    const places = [here, there].flatMap(({ root, home }) => [root, home]);
    expect(places.filter((path) => stored.some((text) => text.includes(path)))).toEqual([]);
  });

  it("that come again with the same id make no second record", async () => {
    const project = faberProject();
    await project.json(["start", "faber"], by("one"));
    for (const source of ["resume", "compact", "resume", "startup", "a-newer-one"]) {
      await runHook(project, "SessionStart", { session_id: "one", source });
      await runHook(project, "SessionEnd", { session_id: "one", reason: "other" });
    }
    expect((await rows(project)).map((row: { session_id: string }) => row.session_id)).toEqual(["one"]);
  });

  it("that start or take a run in the middle of a conversation are known with host and place, too", async () => {
    const project = faberProject();
    const commit = committed(project, "main");
    project.write(".holdfast/config.yaml", "hostname: off\n");
    await openHost(project, "early");
    const server = await serve(project, { env: { HOLDFAST_SESSION: "early" } });
    await server.ok("workflow_start", { workflow: "faber" });
    await openHost(project, "late");
    const other = await serve(project, { env: { HOLDFAST_SESSION: "late" } });
    await other.ok("workflow_status");
    const environment = { hostname: null, platform: process.platform, cwd: ".", git_commit: commit, branch: "main" };
    expect(await rows(project)).toMatchObject([
      { session_id: "early", host: "claude", environment, alive: true },
      { session_id: "late", host: "claude", environment, alive: true },
    ]);
    const started = eventsOf(project).filter(({ type }) => type === "session-started");
    expect(started.map(({ session, source }) => [session, source])).toEqual([
      ["early", "call"],
      ["late", "call"],
    ]);
  });

  it("two that live at the same time are both shown, and the status warns of them", async () => {
    const project = faberProject();
    const first = await openHost(project, "one");
    await project.json(["start", "faber"], by("one"));
    expect((await project.holdfast(["status"])).stdout).not.toContain("sessions");
    await openHost(project, "two");
    await project.json(["next"], by("two"));
    const warning = "2 sessions are working on this run at the same time";
    expect((await project.holdfast(["status"])).stdout).toContain(`${warning}; see holdfast sessions.`);
    const { stdout } = await project.holdfast(["sessions"]);
    expect(stdout).toContain(warning);
    expect(stdout.match(/ open /g)).toHaveLength(2);
    await killed(first);
    expect((await project.holdfast(["status"])).stdout).not.toContain(warning);
  });
});

it("nothing that is stored and travels names a path of this machine or a secret of its environment", async () => {
  const project = faberProject({
    always: [
      'id: spec, type: text, path: "{project_root}/specs/258.md", required: true, reload_triggers: [session_start, phase_transition]',
      "id: printed, type: text, command: [sh, -c, pwd; echo $HOME $PLANTED_TOKEN]",
    ],
  });
  committed(project, "main");
  project.write("../home/.config/holdfast/config.yaml", "trust: all\n");
  const secret = "a-planted-secret-of-this-machine";
  const env = { PLANTED_TOKEN: secret, HOLDFAST_SESSION: "one", HOME: project.home };
  await openHost(project, "one");
  await project.json(["start", "faber"], { env });
  await runHook(project, "PreCompact", { session_id: "one", trigger: "auto" }, { env });
  await runHook(project, "SessionStart", { session_id: "one", source: "compact" }, { env });
  expect((await project.json(["prime", "--force"], { env })).value.text).toContain(secret);
  await project.json(["advance", "--output", "x"], { env });
  const travelling = [...filesOf(project)].filter(([path]) => path.startsWith(".holdfast/runs/"));
  expect(travelling.length).toBeGreaterThan(1);
  for (const [path, text] of travelling) {
    for (const told of [project.root, project.home, secret]) expect(text, path).not.toContain(told);
  }
});
