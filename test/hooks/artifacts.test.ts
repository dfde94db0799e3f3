import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { faberProject, statuses } from "../cli/faber.ts";
import { compact, mine, prime, protocol, restore, sections, started } from "./artifact-handoffs.ts";
import { session } from "./events.ts";
import { contextOf, hookProgram, runHook } from "./hook-program.ts";

describe("after a loss of context", () => {
  it("nothing is skipped, and within the new epoch nothing is loaded twice", async () => {
    const project = await started();
    expect(statuses((await prime(project)).value)).toMatchObject({ protocol: "skipped" });
    await compact(project);
    expect(statuses((await prime(project)).value)).toMatchObject({ protocol: "loaded", "workflow-plan": "loaded" });
    await restore(project, "compact");
    expect(statuses((await prime(project)).value)).toMatchObject({ protocol: "skipped", "workflow-plan": "skipped" });
  });
});

describe("an artifact that is too large for a handoff", () => {
  it("brings its beginning, an outline, its end and its path; by hand it comes whole or in larger parts", async () => {
    const project = faberProject({
      always: [
        "id: protocol, type: markdown, path: docs/protocol.md, required: true",
        "id: notes, type: markdown, path: docs/notes.md",
      ],
    });
    project.write("docs/protocol.md", protocol);
    project.write("docs/notes.md", protocol.replace("# Protocol", "# Notes").slice(0, 30_000));
    await project.json(["start", "faber"], mine);
    const handoff = await restore(project, "compact");
    const facts = [
      ...["### protocol (required)\ndocs/protocol.md, ", "# Protocol\nBegin with the rope.", "## Rule 3\n## Rule 4\n"],
      ...["The end is free.", "### notes\ndocs/notes.md, ", "# Notes\nBegin with the rope."],
    ];
    expect(facts.filter((fact) => !handoff.includes(fact))).toEqual([]);
    expect(handoff.length).toBeLessThanOrEqual(9_000);
    const primed = (await prime(project)).value;
    expect(statuses(primed)).toEqual({ protocol: "loaded", notes: "loaded" });
    expect(primed.text).toContain(sections.slice(0, 50).join(""));
    expect(statuses((await prime(project)).value)).toEqual({ protocol: "loaded", notes: "skipped" });
  });
});

describe("a hook", () => {
  it("loads the code that reads artifacts only if one is due", async () => {
    const project = faberProject({
      conditional: [
        "id: protocol, type: markdown, path: docs/protocol.md, condition: \"state.steps.frame.status == 'done'\"",
      ],
    });
    await project.json(["start", "faber"], mine);
    const bin = join(dirname(project.root), "bin");
    cpSync(dirname(hookProgram), bin, { recursive: true, filter: (path) => !path.endsWith("hook-artifacts.cjs") });
    const copy = join(bin, "hook.cjs");
    const handoff = async () =>
      contextOf(await runHook(project, "SessionStart", { session_id: session, source: "compact" }, { copy }));
    expect(await handoff()).toContain("Do frame");
    await project.json(["advance", "--output", "framed"], mine);
    expect(await handoff()).toBe("");
    expect(await restore(project, "compact")).toContain("One step at a time.");
  });

  it("runs no command: the agent is told how to load what it prints", async () => {
    const project = faberProject({
      always: ["id: issue, type: text, command: [sh, -c, echo run >> ran.txt; echo the issue]"],
    });
    project.write("../home/.config/holdfast/config.yaml", "trust: all\n");
    await project.json(["start", "faber"], mine);
    await compact(project);
    const handoff = await restore(project, "compact");
    expect(handoff).toContain(
      "### issue\nNot loaded yet: run the command holdfast prime --artifacts issue to load it.",
    );
    expect(project.read("ran.txt")).toBe("run\n");
    expect((await project.json(["next"], mine)).value.artifacts).toContain("the issue");
  });
});
