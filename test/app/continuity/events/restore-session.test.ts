import { describe, expect, it } from "vitest";
import { makeWorld, type World } from "../../world.ts";
import { createHosts, type HostProcess, shownBy, twoSteps } from "../hook-ports.ts";

const sources = ["startup", "resume", "clear", "compact", "fork", "a-newer-one"] as const;
const twoWeeks = 14 * 24 * 60;

/** A project, the program that is asked for its sessions, and where that stands. */
interface Asked {
  readonly host: HostProcess;
  readonly cwd: string;
  /** The session that starts; another one for each source where it has no run yet. */
  readonly session: string | null;
}

interface Binding {
  readonly name: string;
  readonly shows: readonly string[];
  bring(world: World): Promise<Asked>;
}

async function started(world: World, session: string | undefined, cwd = world.project): Promise<string> {
  world.workflow("feature", twoSteps);
  const face = session === undefined ? world.person(cwd) : world.agent(session, cwd);
  const { runId } = await face.ok("start", { workflow: "feature", summary: "Dark mode" });
  return runId;
}

const bindings: readonly Binding[] = [
  {
    name: "a run that the session sits in",
    shows: ["line", "full", "full", "full", "full", "line"],
    async bring(world) {
      await started(world, "mine");
      return { host: createHosts(world)(), cwd: world.project, session: "mine" };
    },
  },
  {
    name: "a run that nobody sits in",
    shows: ["line", "full", "line", "full", "full", "line"],
    async bring(world) {
      await started(world, undefined);
      return { host: createHosts(world)(), cwd: world.project, session: null };
    },
  },
  {
    name: "a run that another live session sits in",
    shows: ["line", "line", "line", "line", "line", "line"],
    async bring(world) {
      const hosts = createHosts(world);
      await started(world, "theirs");
      await hosts().start("theirs", "startup");
      return { host: hosts(), cwd: world.project, session: null };
    },
  },
  {
    name: "a run that a session sits in whose program is gone",
    shows: ["line", "full", "line", "full", "full", "line"],
    async bring(world) {
      const hosts = createHosts(world);
      const gone = hosts();
      await started(world, "theirs");
      await gone.start("theirs", "startup");
      gone.end();
      return { host: hosts(), cwd: world.project, session: null };
    },
  },
  {
    name: "a run that has ended",
    shows: ["nothing", "nothing", "nothing", "nothing", "nothing", "nothing"],
    async bring(world) {
      const run = await started(world, "mine");
      await world.person().ok("abort", { run, reason: "not needed" });
      return { host: createHosts(world)(), cwd: world.project, session: "mine" };
    },
  },
  {
    name: "a run that has not been touched for more than two weeks",
    shows: ["line", "line", "line", "line", "line", "line"],
    async bring(world) {
      await started(world, "mine");
      world.pass(twoWeeks + 1);
      return { host: createHosts(world)(), cwd: world.project, session: "mine" };
    },
  },
  {
    name: "a run of the linked worktree that we are in",
    shows: ["full", "full", "line", "full", "full", "full"],
    async bring(world) {
      world.workflow("feature", twoSteps);
      world.commit();
      const cwd = world.worktree("linked");
      await started(world, undefined, cwd);
      return { host: createHosts(world)(), cwd, session: null };
    },
  },
  {
    name: "a run of our linked worktree that another live session sits in",
    shows: ["line", "line", "line", "line", "line", "line"],
    async bring(world) {
      world.workflow("feature", twoSteps);
      world.commit();
      const cwd = world.worktree("linked");
      const hosts = createHosts(world);
      await started(world, "theirs", cwd);
      await hosts().start("theirs", "startup", { cwd });
      return { host: hosts(), cwd, session: null };
    },
  },
];

describe("what a session that starts is shown", () => {
  it.each(bindings)("of $name", async ({ shows, bring }) => {
    const { host, cwd, session } = await bring(makeWorld());
    const shown: string[] = [];
    for (const source of sources) shown.push(shownBy(await host.start(session ?? `for ${source}`, source, { cwd })));
    expect(Object.fromEntries(sources.map((source, index) => [source, shown[index]]))).toEqual(
      Object.fromEntries(sources.map((source, index) => [source, shows[index]])),
    );
  });

  it("tells the person in one line what goes on, wherever the agent is put back on it", async () => {
    const world = makeWorld();
    await started(world, "mine");
    const host = createHosts(world)();
    const notices: unknown[] = [];
    for (const source of sources) notices.push((await host.start("mine", source)).notice);
    const line = "Holdfast: feature, step 1/2 plan";
    expect(notices).toEqual([undefined, line, line, line, line, undefined]);
  });

  it("tells the person nothing where no run is live", async () => {
    const world = makeWorld();
    const run = await started(world, "mine");
    await world.person().ok("abort", { run, reason: "not needed" });
    const host = createHosts(world)();
    for (const source of sources) expect(await host.start("mine", source)).not.toHaveProperty("notice");
  });

  it("is what the project's settings say", async () => {
    const world = makeWorld();
    await started(world, "mine");
    world.write(".holdfast/config.yaml", "handoff: { show: { compact: line, resume: nothing, startup: full } }\n");
    const host = createHosts(world)();
    const shown = [];
    for (const source of ["compact", "resume", "startup"]) shown.push(shownBy(await host.start("mine", source)));
    expect(shown).toEqual(["line", "nothing", "full"]);
  });

  it("is not brought in full by the back door where the settings want less", async () => {
    const world = makeWorld();
    await started(world, "mine");
    world.write(".holdfast/config.yaml", "handoff: { show: { compact: nothing } }\n");
    const host = createHosts(world)();
    await host.tell("mine", "PreCompact", { trigger: "auto" });
    await host.start("mine", "compact");
    expect(await host.tell("mine", "UserPromptSubmit")).toEqual({});
  });
});

describe("what a session is shown of a workflow that only its card knows", () => {
  const card = (world: World, slug: string, created_at: string) =>
    world.write(
      `untracked/workflow-state/${slug}/state-${slug}-20260130_000000.json`,
      JSON.stringify({
        workflow: slug,
        workflow_type: "custom",
        phase: { current: 2, total: 3, name: "Fix" },
        created_at,
      }),
    );

  it.each([
    { age: "is fresh", created: "2026-01-30T00:00:00Z", shows: ["line", "full", "full", "full", "full", "line"] },
    { age: "is old", created: "2026-01-16T00:00:00Z", shows: ["line", "line", "line", "line", "line", "line"] },
  ])("when it $age", async ({ created, shows }) => {
    const world = makeWorld();
    card(world, "qa-loop", created);
    const host = createHosts(world)();
    const shown: string[] = [];
    for (const source of sources) shown.push(shownBy(await host.start(`for ${source}`, source)));
    expect(shown).toEqual(shows);
  });

  it("is the newest that can be read, with a word on the one that cannot", async () => {
    const world = makeWorld();
    card(world, "qa-loop", "2026-01-30T00:00:00Z");
    card(world, "migration", "2026-01-29T00:00:00Z");
    world.write("untracked/workflow-state/release/state-release-20260130_230000.json", '{"workflow": "rel');
    const { context, notice } = await createHosts(world)().start("mine", "compact");
    expect(context).toContain("Workflow: qa-loop (custom) · phase 2/3 Fix (in_progress)");
    expect(context).toContain("migration (phase 2/3)");
    expect(notice).toBe(
      "Holdfast: untracked/workflow-state/release/state-release-20260130_230000.json is skipped: it is not JSON",
    );
  });

  it("is nothing once its last phase is completed, or it was given up", async () => {
    const world = makeWorld();
    for (const [slug, status] of [
      ["done", "completed"],
      ["dropped", "cancelled"],
    ]) {
      const phase = { current: 3, total: 3, name: "Release", status };
      const value = { workflow: slug, workflow_type: "custom", phase, created_at: "2026-01-30T00:00:00Z" };
      world.write(`untracked/workflow-state/${slug}/state-${slug}-20260130_000000.json`, JSON.stringify(value));
    }
    expect(await createHosts(world)().start("mine", "compact")).toEqual({});
  });
});

describe("after a clear", () => {
  it("the new session is in the run of the one that it follows, and stays there", async () => {
    const world = makeWorld();
    const run = await started(world, "before");
    const host = createHosts(world)();
    await host.start("before", "startup");
    await host.tell("before", "SessionEnd", { reason: "clear" });
    expect(shownBy(await host.start("after", "clear"))).toBe("full");
    expect((await world.agent("after").ok("status")).runId).toBe(run);
    const taken = createHosts(world)();
    expect(shownBy(await taken.start("another", "clear"))).toBe("line");
  });

  it("no session follows one of another program, or one that was followed", async () => {
    const world = makeWorld();
    await started(world, "before");
    const hosts = createHosts(world);
    const host = hosts();
    await host.start("before", "startup");
    await host.tell("before", "SessionEnd", { reason: "clear" });
    expect(shownBy(await hosts().start("elsewhere", "clear"))).toBe("line");
    expect(shownBy(await host.start("after", "clear"))).toBe("full");
    expect(shownBy(await host.start("again", "clear"))).toBe("line");
  });
});
