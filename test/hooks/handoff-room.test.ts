import { describe, expect, it } from "vitest";
import { createProject, type Project } from "../cli/program.ts";
import { session } from "./events.ts";
import { contextOf, runHook } from "./hook-program.ts";

const mine = { env: { HOLDFAST_SESSION: session } };
const restore = async (project: Project) =>
  contextOf(await runHook(project, "SessionStart", { session_id: session, source: "compact" }));

function numbered(what: string, count: number, more = ""): string[] {
  return Array.from({ length: count }, (_, index) => `${what} ${index + 1} of ${count}.${more}`);
}

/** JSON is YAML. */
async function started(workflow: object): Promise<Project> {
  const project = createProject();
  project.write(
    ".holdfast/workflows/long.yaml",
    JSON.stringify({ name: "long", description: "Long texts", ...workflow }),
  );
  await project.json(["start", "long"], mine);
  return project;
}

describe("a handoff uses its room", () => {
  const lines = numbered("Line", 280, " Keep the knot tight.");
  const instructions = lines.join("\n");
  const steps = [{ id: "tie", type: "action", instructions }];

  it("for instructions of nearly 7,000 characters, whole, where the rest leaves room", async () => {
    const short = lines.slice(0, 180).join("\n");
    const project = await started({ steps: [{ id: "tie", type: "action", instructions: short }] });
    const handoff = await restore(project);
    expect(short.length).toBeGreaterThan(6_500);
    expect(lines.slice(0, 180).filter((line) => !handoff.includes(`  | ${line}\n`))).toEqual([]);
    expect(handoff).not.toContain("left out");
  });

  it("and cuts them before anything else: their ends stay, a file has the rest, and every rule is there", async () => {
    const reminders = numbered("Rule", 30, " Never cut the rope without asking, whatever the weather.");
    const variables = Object.fromEntries(numbered("v", 20).map((value, index) => [`value_${index}`, value]));
    const files = numbered("docs/guide", 10).map((name) => `@${name.replace(/[ .]+/g, "-")}.md`);
    const project = await started({ steps, key_reminders: reminders, variables, required_reading: files });
    const handoff = await restore(project);
    const facts = [...reminders, ...Object.values(variables), ...files, lines[0], lines.at(-1)];
    expect(facts.filter((fact) => !handoff.includes(fact ?? ""))).toEqual([]);
    expect(handoff.length).toBeLessThanOrEqual(9_000);
    const [, path = ""] = /characters left out: read @(\S+)\]/.exec(handoff) ?? [];
    expect(project.read(path)).toContain(instructions);
  });

  it("for the tasks of a loop that are done, and what the last visit gave", async () => {
    const project = await started({
      loops: { tie: [{ id: "turn", instructions: "Turn {task.title}" }] },
      steps: [{ id: "tie", type: "loop" }],
    });
    const tasks = numbered("Knot", 30);
    await project.json(["tasks", "tie"], { ...mine, input: `${tasks.join("\n")}\n` });
    for (const task of tasks.slice(0, 20)) {
      await project.json(["advance", "--output", `${task} is tied.\nThe end is free.`], mine);
    }
    const handoff = await restore(project);
    const done = tasks.slice(0, 20).map((title, index) => `task ${index + 1}/30 "${title}"`);
    expect(done.filter((task) => !handoff.includes(task))).toEqual([]);
    expect(handoff).toContain(
      "LAST OUTPUT   visit tie/t20/turn#1\n  | Knot 20 of 30. is tied.\n  | The end is free.\n",
    );
  });

  it("and shows no output twice", async () => {
    const project = await started({
      steps: [
        { id: "plan", type: "action", instructions: "Plan" },
        { id: "build", type: "action", instructions: "Build {outputs.plan}" },
        { id: "ship", type: "action", instructions: "Ship it" },
      ],
    });
    await project.json(["advance", "--output", "First a loop,\nthen a turn."], mine);
    expect(await restore(project)).not.toContain("LAST OUTPUT");
    await project.json(["advance", "--output", "It holds."], mine);
    const handoff = await restore(project);
    expect(handoff).toContain("  2 build  It holds.\n");
    expect(handoff.match(/It holds\./g)).toHaveLength(1);
  });
});
