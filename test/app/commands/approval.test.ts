import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { wordRefusal } from "../../../src/model/refusal/refusal.ts";
import { makeWorld, type World } from "../world.ts";

const waiting = { code: "approval-needed", token: "ship#1" };

const gated = (gate: string) => `steps:
  - { id: ship, type: action, instructions: Ship, gate: ${gate} }
  - { id: after, type: action, instructions: After }`;

const reviewed = ", outcomes: { fine: ship, poor: rework }";

/** A run that stands at a step with these gates, whose commands are trusted. */
async function atGate(gate: string): Promise<World> {
  const world = makeWorld({ git: false });
  world.config("config.yaml", "trust: all\n");
  world.workflow("ship", gated(gate));
  await world.agent("s1").ok("start", { workflow: "ship" });
  return world;
}

describe("an approval", () => {
  it("is asked for by the advance, given by a person, and then the same advance passes", async () => {
    const world = await atGate("[{ approval: human }]");
    const agent = world.agent("s1");
    const refusal = await agent.no("advance", { token: "ship#1", output: "ready" });
    expect(refusal).toEqual(waiting);
    expect(wordRefusal(refusal).next).toBe(
      "a person must run `holdfast approve` (or `holdfast reject --reason ...`); then advance again",
    );
    expect(await agent.ok("status")).toMatchObject({ status: "waiting", step: "ship" });
    expect(await world.person().ok("approve", { reason: "looks right" })).toMatchObject({ status: "running" });
    expect(await agent.ok("advance", { token: "ship#1", output: "ready" })).toMatchObject({ step: "after" });
    expect((await agent.events()).slice(-5).map(({ type }) => type)).toEqual([
      "approval-requested",
      "approval-given",
      "visit-ended",
      "step-ended",
      "visit-entered",
    ]);
    expect((await agent.events()).find(({ type }) => type === "approval-given")).toMatchObject({
      by: "ada",
      reason: "looks right",
      token: "ship#1",
    });
  });

  it("that is refused tells the agent why, and may be asked for again", async () => {
    const world = await atGate("[{ approval: human }]");
    const agent = world.agent("s1");
    await agent.no("advance");
    await world.person().ok("reject", { reason: "keep the toggle out of the header" });
    const status = await agent.ok("next");
    expect(status).toMatchObject({ status: "running", step: "ship" });
    expect("instructions" in status && status.instructions).toContain(
      "A person rejected this step and said:\n> keep the toggle out of the header",
    );
    expect(await agent.no("advance")).toEqual(waiting);
    await world.person().ok("approve");
    expect(await agent.ok("advance")).toMatchObject({ step: "after" });
  });

  it("is for the outcome that was submitted; with another one a person is asked again", async () => {
    const world = makeWorld({ git: false });
    world.workflow(
      "review",
      `steps:
  - { id: review, type: action, instructions: Review, gate: [{ approval: human }], outcomes: { fine: ship, poor: rework } }
  - { id: rework, type: action, instructions: Rework }
  - { id: ship, type: action, instructions: Ship }`,
    );
    const agent = world.agent("s1");
    await agent.ok("start", { workflow: "review" });
    await agent.no("advance", { output: "two bugs", outcome: "poor" });
    expect(await world.person().ok("approve")).toMatchObject({
      decided: { outcome: "poor", next: expect.stringContaining('to "rework"') },
    });
    const status = await agent.ok("next");
    expect("instructions" in status && status.instructions).toContain(
      "with the same output (or a summary of it) and the outcome poor.",
    );
    expect(await agent.no("advance", { output: "all is well", outcome: "fine" })).toEqual({
      code: "approval-needed",
      token: "review#1",
    });
    expect(await agent.no("advance", { output: "all is well", outcome: "fine" })).toMatchObject({ token: "review#1" });
    expect(await agent.ok("status")).toMatchObject({ status: "waiting", step: "review" });
    expect(await world.person().ok("approve")).toMatchObject({
      decided: { outcome: "fine", submitted: "all is well" },
    });
    expect(await agent.ok("advance", { output: "all is well", outcome: "fine" })).toMatchObject({ step: "ship" });
    expect((await agent.events()).filter(({ type }) => type === "approval-requested")).toHaveLength(2);
  });

  it.each([
    { before: reviewed, after: "", submitted: { outcome: "fine" }, next: {}, to: "rework" },
    { before: "", after: reviewed, submitted: {}, next: { outcome: "fine" }, to: "ship" },
  ])("does not count once a changed workflow has taken the outcomes away, or added some", async (each) => {
    const world = makeWorld({ git: false });
    const write = (keys: string) =>
      world.workflow(
        "review",
        `steps:
  - { id: review, type: action, instructions: Review, gate: [{ approval: human }]${keys} }
  - { id: rework, type: action, instructions: Rework }
  - { id: ship, type: action, instructions: Ship }`,
      );
    write(each.before);
    const agent = world.agent("s1");
    await agent.ok("start", { workflow: "review" });
    await agent.no("advance", { output: "read it", ...each.submitted });
    await world.person().ok("approve");
    write(each.after);
    await world.person().ok("adopt");
    await agent.ok("next");
    expect(await agent.no("advance", { output: "read it", ...each.next })).toMatchObject({ code: "approval-needed" });
    await world.person().ok("approve");
    expect(await agent.ok("advance", { output: "read it", ...each.next })).toMatchObject({ step: each.to });
  });

  it("names no step, and no outcome, that a changed workflow does not have", async () => {
    const world = await atGate("[{ approval: human }], outcomes: { fine: after, poor: after }");
    const agent = world.agent("s1");
    await agent.no("advance", { output: "read it", outcome: "poor" });
    world.workflow("ship", gated("[{ approval: human }], outcomes: { fine: after }"));
    await world.person().ok("adopt");
    const { decided } = await world.person().ok("approve");
    expect(decided?.next).toMatch(/^The agent can advance now\./);
    const told = await agent.ok("next");
    expect("instructions" in told && told.instructions).not.toContain("poor");
  });

  it("is for the request that the person has seen, where they say which", async () => {
    const world = await atGate("[{ approval: human }]");
    const agent = world.agent("s1");
    await agent.no("advance", { output: "one" });
    const asked = (await agent.events()).find(({ type }) => type === "approval-requested")?.seq ?? 0;
    await world.person().ok("reject", { reason: "no" });
    await agent.no("advance", { output: "two" });
    const other = { code: "approval-not-asked", token: "ship#1", isOther: true };
    expect(await world.person().no("approve", { asked })).toEqual(other);
    expect(await world.person().no("reject", { asked, reason: "no" })).toEqual(other);
    expect(await agent.ok("status")).toMatchObject({ status: "waiting" });
  });

  it("is refused while nobody has asked for it", async () => {
    const world = await atGate("[{ approval: human }]");
    expect(await world.person().no("approve")).toEqual({ code: "approval-not-asked", token: "ship#1" });
    expect(await world.person().no("reject", { reason: "no" })).toMatchObject({ code: "approval-not-asked" });
  });

  it("survives a restart: every face here has read only the files", async () => {
    const world = await atGate("[{ approval: human }]");
    expect(await world.agent("s1").no("advance")).toEqual(waiting);
    expect(await world.agent("s2").ok("status")).toMatchObject({ status: "waiting" });
    await world.person().ok("approve");
    expect(await world.agent("s1").ok("advance")).toMatchObject({ step: "after" });
  });

  it("is asked for only when the machine's gates hold", async () => {
    const world = await atGate("[{ approval: human }, { exists: plan.md }]");
    expect(await world.agent("s1").no("advance")).toMatchObject({ code: "gate-failed", what: "exists plan.md" });
    expect(await world.agent("s1").ok("status")).toMatchObject({ status: "running" });
    expect(await world.person().no("approve")).toMatchObject({ code: "approval-not-asked" });
    world.write("plan.md", "a plan");
    expect(await world.agent("s1").no("advance")).toEqual(waiting);
  });

  it("outlasts a gate that fails after it, with what was said", async () => {
    const world = await atGate("[{ exists: plan.md }, { approval: human }]");
    const agent = world.agent("s1");
    world.write("plan.md", "a plan");
    expect(await agent.no("advance")).toEqual(waiting);
    await world.person().ok("approve", { reason: "but write tests first" });
    world.write("plan.md", "");
    expect(await agent.no("advance")).toMatchObject({ code: "gate-failed" });
    const { instructions } = await agent.ok("status");
    expect(instructions).toContain("plan.md: it is empty");
    expect(instructions).not.toContain("Approved by");
    world.write("plan.md", "a plan");
    expect(await agent.ok("advance")).toMatchObject({
      step: "after",
      instructions: expect.stringContaining("> but write tests first"),
    });
  });

  it("that is pending does not make the gates run again, however often the agent asks", async () => {
    const world = await atGate('[{ run: "echo ran >> ran.txt" }, { approval: human }]');
    const agent = world.agent("s1");
    expect(await agent.no("advance")).toEqual(waiting);
    const { runId } = await agent.ok("status");
    const before = world.journal(runId);
    for (let times = 0; times < 5; times++) expect(await agent.no("advance")).toEqual(waiting);
    expect(world.read("ran.txt")).toBe("ran\n");
    expect(world.journal(runId)).toBe(before);
    await world.person().ok("approve");
    expect(await agent.ok("advance")).toMatchObject({ step: "after" });
    expect(world.read("ran.txt")).toBe("ran\nran\n");
  });
});

describe("what only a person may do", () => {
  const acts = [
    ["approve", {}, "approving"],
    ["reject", { reason: "no" }, "rejecting"],
    ["decide", { verdict: "continue" }, "deciding how a run continues"],
    ["goto", { step: "after", reason: "because" }, "moving a run"],
    ["reset", {}, "resetting a run"],
    ["trust", { workflow: "ship" }, "trusting a workflow"],
  ] as const;

  it.each(acts)("%s is refused in an agent's shell", async (name, input, what) => {
    const world = await atGate("[{ approval: human }]");
    await world.agent("s1").no("advance");
    const { runId } = await world.agent().ok("status");
    const before = world.journal(runId);
    const atTerminal = { isTerminal: true, confirm: async () => true };
    for (const variable of ["CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "CURSOR_AGENT", "OPENCODE"]) {
      const face = world.script({ ...atTerminal, env: { [variable]: "1" } });
      const why = `this is an agent's shell (${variable} is set)`;
      expect(await face.no(name, input)).toEqual({ code: "person-needed", what, why, inAgent: true });
    }
    expect(world.journal(runId)).toBe(before);
  });

  it.each(acts)("%s is refused without a terminal", async (name, input, what) => {
    const world = await atGate("[{ approval: human }]");
    expect(await world.script().no(name, input)).toEqual({
      code: "person-needed",
      what,
      why: "this is not a terminal",
    });
    expect(existsSync(join(world.configFolder, "secret"))).toBe(false);
  });

  const zsh = { pid: 30, name: "zsh", names: ["zsh"], variables: ["HOME", "CLAUDE_CODE_SSE_PORT"] };
  const tmux = { pid: 20, name: "tmux: server", names: ["tmux: server", "tmux"], variables: ["HOME"] };

  it.each(acts)("%s is refused below an agent, which is named", async (name, input, what) => {
    const world = await atGate("[{ approval: human }]");
    await world.agent("s1").no("advance");
    const { runId } = await world.agent().ok("status");
    const before = world.journal(runId);
    for (const [ancestor, which] of [
      [{ pid: 9, name: "claude", names: ["claude"], variables: [] }, '"claude" (process 9)'],
      [
        { pid: 8, name: "MainThread", names: ["MainThread", "node", "@google/gemini-cli"], variables: [] },
        '"MainThread" (process 8)',
      ],
      [{ ...tmux, variables: ["HOME", "CODEX_THREAD_ID"] }, '"tmux: server" (process 20, with CODEX_THREAD_ID set)'],
      [
        { ...tmux, name: "a\u{202e}b", variables: ["HOLDFAST_AGENT"] },
        '"a\\u{202e}b" (process 20, with HOLDFAST_AGENT set)',
      ],
    ] as const) {
      const surroundings = () => ({ terminal: "pts/3", ancestors: [zsh, ancestor, tmux] });
      const face = world.script({ isTerminal: true, confirm: async () => true, surroundings });
      const why = `an agent has started this: ${which} is above it`;
      expect(await face.no(name, input)).toEqual({ code: "person-needed", what, why, inAgent: true });
    }
    expect(world.journal(runId)).toBe(before);
  });

  it("is recorded with the terminal and the names of the programs above, without secrets and paths", async () => {
    const world = await atGate("[{ approval: human }]");
    await world.agent("s1").no("advance");
    const long = Array.from({ length: 30 }, (_, at) => ({ ...zsh, pid: at, name: `run-${"s3cr3t-t0ken"}` }));
    const surroundings = () => ({ terminal: "pts/3", ancestors: [zsh, tmux, ...long] });
    const person = world.script({ isTerminal: true, surroundings, env: { MY_TOKEN: "s3cr3t-t0ken" } });
    await person.ok("approve");
    await person.ok("goto", { step: "ship", reason: "again" });
    const events = await person.events();
    const programs = ["zsh", "tmux: server", ...Array.from({ length: 18 }, () => "run-***")];
    for (const type of ["approval-given", "run-redirected"]) {
      const event = events.find((each) => each.type === type);
      expect(event).toMatchObject({ by: "ada", seat: { terminal: "pts/3", programs } });
    }
    const { runId } = await person.ok("status");
    expect(world.journal(runId)).toMatch(/"format":2,(?=[^\n]*"approval-given")/);
    expect(await world.script({ isTerminal: true }).ok("status")).toMatchObject({ step: "ship" });
  });

  it("a variable that is set to nothing makes no agent", async () => {
    const world = await atGate("[{ approval: human }]");
    await world.agent("s1").no("advance");
    expect(await world.script({ isTerminal: true, env: { CLAUDECODE: "" } }).ok("approve")).toBeTruthy();
  });

  it("leaves a secret that only its user can read, and never another one", async () => {
    const world = await atGate("[{ approval: human }]");
    await world.agent("s1").no("advance");
    await world.person().ok("approve");
    const file = join(world.configFolder, "secret");
    const secret = readFileSync(file, "utf8");
    expect(secret).toMatch(/^[0-9a-f]{48}\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await world.person().ok("goto", { step: "ship", reason: "again" });
    expect(readFileSync(file, "utf8")).toBe(secret);
  });
});

describe("a script that acts for a person", () => {
  const secret = "0123456789abcdef0123";
  const wrong = {
    code: "person-needed",
    what: "approving",
    why: "the secret file does not contain this user's secret",
  };

  async function asked(): Promise<World> {
    const world = await atGate("[{ approval: human }]");
    await world.agent("s1").no("advance");
    return world;
  }

  it("may, with the user's secret, and is recorded by its name, in an agent's shell too", async () => {
    const world = await asked();
    world.config("secret", `${secret}\n`);
    const secretFile = world.config("copy", secret);
    const script = world.script({ as: { name: "dashboard", secretFile }, env: { CLAUDECODE: "1" } });
    await script.ok("approve");
    expect((await script.events()).at(-1)).toMatchObject({ type: "approval-given", by: "dashboard" });
  });

  it.each([
    ["a wrong secret", secret, "0123456789abcdef0124"],
    ["a longer one", secret, `${secret}0`],
    ["one of as many characters and other bytes", secret, "0123456789abcdef012é"],
    ["an empty one", secret, ""],
    ["none", secret, null],
    ["the right one where the user has none", null, secret],
    ["nothing where the user has nothing", "", ""],
    ["one that is too short to be a secret", "short", "short"],
  ])("may not with %s", async (_, own, given) => {
    const world = await asked();
    if (own !== null) world.config("secret", own);
    if (given !== null) world.config("copy", given);
    const script = world.script({ as: { name: "dashboard", secretFile: join(world.configFolder, "copy") } });
    expect(await script.no("approve")).toEqual(wrong);
  });

  it.each([
    ["nothing", ""],
    ["only spaces", "  "],
    ["several lines", "a\nb"],
    ["more than anyone is called", "x".repeat(101)],
  ])("may not under the name of %s", async (_, name) => {
    const world = await asked();
    const secretFile = world.config("secret", secret);
    const script = world.script({ as: { name, secretFile } });
    expect(await script.no("approve")).toEqual({ code: "person-needed", what: "approving", why: "--as names nobody" });
  });
});

describe("a spent budget", () => {
  /** A run whose second step may take ten minutes. */
  async function spent(minutes = 10): Promise<World> {
    const world = makeWorld({ git: false });
    world.workflow(
      "timed",
      `steps:
  - { id: plan, type: action, instructions: Plan }
  - { id: build, type: action, instructions: Build, budget: { minutes: 10 } }
  - { id: after, type: action, instructions: After }`,
    );
    await world.agent("s1").ok("start", { workflow: "timed" });
    await world.agent("s1").ok("advance");
    world.pass(minutes);
    return world;
  }

  const needed = { code: "review-needed", token: "build#1", spent: "minutes" };

  it("is noticed by an advance, which is refused", async () => {
    const world = await spent();
    expect(await world.agent("s1").no("advance")).toEqual(needed);
    expect(await world.agent("s1").ok("status")).toMatchObject({ status: "review" });
    expect((await world.agent("s1").events()).at(-1)).toMatchObject({ type: "review-opened", spent: "minutes" });
  });

  it("is noticed by next", async () => {
    const world = await spent();
    expect(await world.agent("s1").ok("next")).toMatchObject({ status: "review", step: "build" });
    expect(await world.agent("s1").no("advance")).toEqual(needed);
  });

  it("is noticed by a start that finds the live run", async () => {
    const world = await spent();
    expect(await world.agent("s1").ok("start", { workflow: "timed" })).toMatchObject({ status: "review" });
  });

  it("is noticed by next of a session that sat in a visit that has ended", async () => {
    const world = await spent(0);
    await world.agent("s2").ok("next");
    await world.agent("s2").ok("advance");
    await world.person().ok("goto", { step: "build", reason: "once more" });
    world.pass(10);
    expect(await world.agent("s2").ok("next")).toMatchObject({ status: "review", token: "build#2" });
  });

  it("is shown and not touched by a look", async () => {
    const world = await spent();
    const { runId } = await world.agent().ok("status");
    const before = world.journal(runId);
    await world.agent().ok("status");
    await world.agent().ok("overview");
    expect(world.journal(runId)).toBe(before);
  });

  it("is not spent a moment before", async () => {
    const world = await spent(9.99);
    expect(await world.agent("s1").ok("advance")).toMatchObject({ step: "after" });
  });

  it("does not count the time of a pause", async () => {
    const world = await spent(9);
    await world.person().ok("pause", { reason: "lunch" });
    world.pass(60);
    await world.person().ok("resume");
    world.pass(0.5);
    expect(await world.agent("s1").ok("advance")).toMatchObject({ step: "after" });
  });

  it("goes on with continue, which the third time warns and the sixth time is refused", async () => {
    const world = await spent();
    const warnings: (string | undefined)[] = [];
    for (let times = 1; times <= 5; times++) {
      expect(await world.agent("s1").no("advance")).toEqual(needed);
      const decided = await world.person().ok("decide", { verdict: "continue", feedback: `word ${times}` });
      expect(decided).toMatchObject({ status: "running", step: "build" });
      warnings.push("warning" in decided ? decided.warning : undefined);
      world.pass(10);
    }
    expect(warnings).toEqual([
      undefined,
      undefined,
      "continued 3 times in a row; after 5 it must pivot, escalate or be abandoned",
      "continued 4 times in a row; after 5 it must pivot, escalate or be abandoned",
      "continued 5 times in a row; after 5 it must pivot, escalate or be abandoned",
    ]);
    await world.agent("s1").no("advance");
    expect(await world.person().no("decide", { verdict: "continue" })).toEqual({
      code: "continue-refused",
      continues: 5,
    });
    expect(await world.person().ok("decide", { verdict: "pivot" })).toMatchObject({ step: "plan", token: "plan#2" });
  });

  it("goes back with pivot, and the agent is told why", async () => {
    const world = await spent();
    await world.agent("s1").ok("next");
    const decided = await world.person().ok("decide", { verdict: "pivot", feedback: "use the store that is there" });
    const instructions = expect.stringContaining('\n**[BUDGET_PIVOT_FEEDBACK]:** "use the store that is there"');
    expect(decided).toMatchObject({ status: "running", step: "plan", token: "plan#2", instructions });
  });

  it("is parked with escalate, and everything is kept", async () => {
    const world = await spent();
    await world.agent("s1").ok("next");
    const decided = await world.person().ok("decide", { verdict: "escalate", feedback: "ask Grace" });
    expect(decided).toMatchObject({ status: "paused", step: "build" });
    expect(await world.agent("s1").no("advance")).toEqual({ code: "run-paused", reason: "ask Grace" });
    await world.person().ok("resume");
    expect(await world.agent("s1").ok("status")).toMatchObject({ status: "review", step: "build" });
  });

  it("ends the run with abandon", async () => {
    const world = await spent();
    await world.agent("s1").ok("next");
    const decided = await world.person().ok("decide", { verdict: "abandon", feedback: "not worth it" });
    expect(decided).toMatchObject({ status: "failed", instructions: "Workflow failed at build: not worth it" });
  });

  it("is not decided while none is spent", async () => {
    const world = await spent(1);
    expect(await world.person().no("decide", { verdict: "continue" })).toEqual({
      code: "review-not-open",
      token: "build#1",
    });
  });

  it("keeps what the gates had shown when they took the last minutes", async () => {
    const world = makeWorld({ git: false });
    world.config("config.yaml", "trust: all\n");
    world.workflow(
      "slow",
      "steps: [{ id: build, type: action, instructions: Build, budget: { minutes: 10 }, gate: [{ run: echo fine }] }]",
    );
    await world.agent("s1").ok("start", { workflow: "slow" });
    world.pass(9);
    const slow = world.script({ session: "s1", progress: () => world.pass(2) });
    expect(await slow.no("advance")).toMatchObject({ code: "review-needed" });
    expect((await slow.events()).slice(-2)).toMatchObject([
      { type: "gates-checked", evidence: [{ held: true, tail: "fine\n" }] },
      { type: "review-opened", spent: "minutes" },
    ]);
  });
});
