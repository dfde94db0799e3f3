import { describe, expect, it } from "vitest";
import { wordRefusal } from "../../../src/model/refusal/refusal.ts";
import { contentOf, makeWorld, type World } from "../world.ts";

const declared = `variables:
  ticket: { type: text, required: true, description: The number of the issue, pattern: "[A-Z]+-[0-9]+" }
  mode: { type: choice, choices: [quick, full], default: full }
  rounds: { type: number, default: 2 }
  dry: { type: flag, default: false }
  plan: { type: path }
  scope: everything
`;
const steps = `steps:
  - { id: work, type: action, instructions: "{vars.ticket} {vars.mode} {vars.rounds} {vars.dry} [{vars.plan}]" }
  - { id: more, type: action, instructions: More }`;

function world(yaml = declared + steps): World {
  const made = makeWorld({ git: false });
  made.workflow("own", yaml);
  return made;
}

const lines = [
  "ticket (text that matches [A-Z]+-[0-9]+): The number of the issue",
  "mode (quick or full)",
  "rounds (a number)",
  "dry (true or false)",
  "plan (a path inside the project)",
  "scope",
];

describe("a variable with a type", () => {
  it("is stored as its type, whichever way the value was sent", async () => {
    const made = world();
    const variables = { ticket: "ENG-7", rounds: " 3 ", dry: "TRUE", plan: `${made.project}/docs/plan.md` };
    const reply = await made.agent().ok("start", { workflow: "own", variables });
    expect(reply).toMatchObject({ instructions: expect.stringContaining("ENG-7 full 3 true [docs/plan.md]") });
    const [started] = await made.agent().events();
    expect(started).toMatchObject({
      variables: { ticket: "ENG-7", mode: "full", rounds: 3, dry: true, plan: "docs/plan.md", scope: "everything" },
    });
  });

  it("without a default and without a value is empty in a text", async () => {
    const reply = await world()
      .agent()
      .ok("start", { workflow: "own", variables: { ticket: "ENG-7" } });
    expect(reply).toMatchObject({ instructions: expect.stringContaining("ENG-7 full 2 false []") });
  });

  it.each([
    ["ticket", "eng-7", 'must match [A-Z]+-[0-9]+, not "eng-7"'],
    ["ticket", `${"A".repeat(1_000)}-1`, "must have at most 1,000 characters, not 1,002"],
    ["mode", "ful", 'must be quick or full, not "ful"; did you mean full?'],
    ["rounds", "three", 'must be a number, not "three"'],
    ["rounds", "", 'must be a number, not ""'],
    ["rounds", "0x10", 'must be a number, not "0x10"'],
    ["rounds", true, "must be a number, not true"],
    ["dry", "yes", 'must be true or false, not "yes"'],
    ["dry", 1, "must be true or false, not 1"],
    ["plan", "../../etc/passwd", 'must be a relative path inside the project, not "../../etc/passwd"'],
    ["plan", "/etc/passwd", 'must be a relative path inside the project, not "/etc/passwd"'],
  ])("%s refuses %j at the start, and nothing is started", async (variable, value, problem) => {
    const made = world();
    const before = contentOf(made.project);
    const variables = { ticket: "ENG-7", [variable]: value };
    const refusal = await made.agent().no("start", { workflow: "own", variables });
    expect(refusal).toEqual({ code: "variable-invalid", variable, problem, declared: lines });
    expect(wordRefusal(refusal).message).toBe(
      `the variable "${variable}" ${problem}\nThe workflow declares:\n  ${lines.join("\n  ")}`,
    );
    expect(contentOf(made.project)).toEqual(before);
  });

  it("is checked in an advance, where a variable that is not declared is not", async () => {
    const made = world();
    const agent = made.agent();
    await agent.ok("start", { workflow: "own", variables: { ticket: "ENG-7" } });
    expect(await agent.no("advance", { variables: { other: "x", rounds: "many" } })).toEqual({
      code: "variable-invalid",
      variable: "rounds",
      problem: 'must be a number, not "many"',
      declared: lines,
    });
    const variables = { other: "x", rounds: "4", scope: 7, plan: `${made.project}/plan.md` };
    expect(await agent.ok("advance", { variables })).toMatchObject({ step: "more" });
    expect((await agent.events()).findLast(({ type }) => type === "visit-ended")).toMatchObject({
      variables: { other: "x", rounds: 4, scope: 7, plan: "plan.md" },
    });
  });

  it("keeps its value over a reset", async () => {
    const made = world();
    await made.agent().ok("start", { workflow: "own", variables: { ticket: "ENG-7", dry: true } });
    await made.person().ok("reset");
    expect((await made.agent().events())[0]).toMatchObject({ variables: { ticket: "ENG-7", dry: true } });
  });
});

describe("an unknown variable", () => {
  it("is refused with the nearest name and all that are declared", async () => {
    const refusal = await world()
      .agent()
      .no("start", { workflow: "own", variables: { tickt: "ENG-7" } });
    expect(wordRefusal(refusal, "mcp")).toEqual({
      message: `the workflow "own" declares no variable "tickt"; did you mean ticket?\nIt declares:\n  ${lines.join("\n  ")}`,
      next: "correct the name, then start again",
    });
  });

  it.each([
    ["a condition", "variables.depth > 1", ""],
    ["a condition on the state", "state.variables.depth > 1", ""],
    ["a command", "true", "test $HOLDFAST_VAR_DEPTH -gt 1"],
  ])("that %s reads counts as declared", async (_, condition, command) => {
    const made = world(`critical_artifacts:
  conditional_load:
    - { id: a, type: text, path: a.md, condition: "${condition}", reload_triggers: [manual] }
steps:
  - { id: work, type: action, instructions: Work, gate: [{ run: "true ${command}" }] }`);
    made.config("config.yaml", "trust: all\n");
    expect(await made.agent().ok("start", { workflow: "own", variables: { depth: 2 } })).toMatchObject({
      step: "work",
    });
    expect(await made.agent().no("start", { workflow: "own", another: true, variables: { dept: 2 } })).toMatchObject({
      code: "variable-unknown",
    });
  });
});

describe("a required variable", () => {
  const missing = {
    code: "variable-missing",
    workflow: "own",
    missing: ["ticket"],
    about: [lines[0]],
    commands: [],
  };

  it("that is missing is refused, with what the agent has to ask for", async () => {
    const made = world();
    const before = contentOf(made.project);
    const refusal = await made.agent().no("start", { workflow: "own" });
    expect(refusal).toEqual(missing);
    expect(wordRefusal(refusal, "mcp")).toEqual({
      message: `the workflow "own" needs values for:\n  ${lines[0]}`,
      next: "ask the person for what the request does not say, then call workflow_start again with variables ticket",
    });
    expect(wordRefusal(refusal).next).toBe("add --var ticket=...");
    expect(contentOf(made.project)).toEqual(before);
  });

  it("is asked for at a terminal, again after a mistake", async () => {
    const made = world();
    const asked: string[] = [];
    const answers = ["nine", " ENG-9 "];
    const person = made.script({ isTerminal: true, ask: async (question) => answers[asked.push(question) - 1] ?? "" });
    expect(await person.ok("start", { workflow: "own" })).toMatchObject({
      instructions: expect.stringContaining("ENG-9 full"),
    });
    expect(asked).toEqual([lines[0], `The value must match [A-Z]+-[0-9]+, not "nine".\n${lines[0]}`]);
  });

  it.each([
    ["gives nothing", [""], 1],
    ["mistypes it three times", ["a", "b", "c", "ENG-9"], 3],
  ])("is refused when the person %s", async (_, answers, times) => {
    let asked = 0;
    const person = world().script({ isTerminal: true, ask: async () => answers[asked++] ?? "" });
    expect(await person.no("start", { workflow: "own" })).toEqual(missing);
    expect(asked).toBe(times);
  });

  it("is not asked for in an agent's terminal", async () => {
    const face = world().script({
      isTerminal: true,
      env: { CLAUDECODE: "1" },
      ask: async () => {
        throw new Error("an agent was asked");
      },
    });
    expect(await face.no("start", { workflow: "own" })).toEqual(missing);
  });

  it("does not keep anyone from a live run", async () => {
    const made = world();
    const { runId } = await made.agent().ok("start", { workflow: "own", variables: { ticket: "ENG-7" } });
    expect(await made.agent().ok("start", { workflow: "own" })).toMatchObject({ runId });
  });

  it("must not be blank", async () => {
    const made = world(`variables: { goal: { type: text, required: true } }
steps: [{ id: work, type: action, instructions: "{vars.goal}" }]`);
    expect(await made.agent().no("start", { workflow: "own", variables: { goal: "  " } })).toMatchObject({
      code: "variable-invalid",
      problem: "must not be empty",
    });
  });
});
