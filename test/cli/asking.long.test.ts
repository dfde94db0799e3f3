import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProject, type Project, twoSteps, whole } from "./program.ts";
import { openTerminal } from "./terminal.ts";

const gated = twoSteps.replace("type: action,", 'type: action, gate: [{ run: "npm test" }],');

function projectWith(text: string): Project {
  const project = createProject();
  project.write(".holdfast/workflows/flow.yaml", text);
  return project;
}

describe("trust", () => {
  it("lists the commands before it asks, and only asks once", async () => {
    const project = projectWith(gated);
    const terminal = openTerminal(project, ["trust", "flow"]);
    const shown = await terminal.until(/\[y\/N\] $/);
    expect(shown.replaceAll("\r", "")).toBe(
      'The workflow "flow" runs these commands:\n  gate of plan, at most 10m: npm test\nTrust it? [y/N] ',
    );
    terminal.type("y\r");
    expect(await terminal.ended()).toMatchObject({
      code: 0,
      text: expect.stringContaining("flow is trusted with 1 command\n"),
    });
    const again = await openTerminal(project, ["trust", "flow"]).ended();
    expect([again.code, again.text]).toEqual([
      0,
      "flow is trusted with 1 command\n  gate of plan, at most 10m: npm test\n",
    ]);
  });

  it("trusts nothing after a no", async () => {
    const project = projectWith(gated);
    const terminal = openTerminal(project, ["trust", "flow"], { env: { NO_COLOR: "1" } });
    await terminal.until(/\[y\/N\] $/);
    terminal.type("n\r");
    expect(await terminal.ended()).toMatchObject({ code: 1, text: expect.stringContaining("(template-untrusted)") });
    expect((await project.json(["start", "flow"])).value.error.code).toBe("template-untrusted");
  });
});

describe("abort", () => {
  it("asks a person, and takes a reason", async () => {
    const project = projectWith(twoSteps);
    const { runId } = (await project.json(["start", "flow"])).value;
    const no = openTerminal(project, ["abort"], { env: { NO_COLOR: "1" } });
    expect(await no.until(/\[y\/N\] $/)).toContain(`this ends ${runId}; only a person can reopen it. Continue?`);
    no.type("\r");
    expect(await no.ended()).toMatchObject({ code: 1, text: expect.stringContaining("(confirmation-needed)") });
    expect((await project.json(["status"])).value.status).toBe("running");
    const yes = openTerminal(project, ["abort", "--reason", "the plan changed"]);
    await yes.until(/\[y\/N\] $/);
    yes.type("y\r");
    expect((await yes.ended()).code).toBe(0);
    expect((await project.json(["status"])).value).toMatchObject({ status: "aborted" });
    expect(project.journal()).toContain("the plan changed");
  });

  it("asks no script, no agent and nobody who says --yes", async () => {
    for (const [words, env] of [
      [["abort", "--yes"], {}],
      [["abort"], { CLAUDECODE: "1" }],
      [["abort", "--json"], {}],
    ] as const) {
      const project = projectWith(twoSteps);
      await project.holdfast(["start", "flow"]);
      expect((await openTerminal(project, words, { env }).ended()).code).toBe(0);
    }
  });
});

describe("tasks at a terminal", () => {
  it("says its format before it reads", async () => {
    const project = projectWith(whole);
    await project.holdfast(["start", "flow"]);
    const terminal = openTerminal(project, ["tasks", "build"], { columns: 120 });
    expect(await terminal.until(/Ctrl-D/)).toContain(
      "One task title per line, or a JSON list of {id, title, description}; [] skips the loop.",
    );
    terminal.type("First\rSecond\r\u0004");
    expect((await terminal.ended()).code).toBe(0);
    expect(project.journal()).toContain('"title":"Second"');
  });

  it("opens the editor, without a shell", async () => {
    const project = projectWith(whole);
    await project.holdfast(["start", "flow"]);
    const editor = project.write(
      "edit",
      '#!/bin/sh\nprintf "Third; touch gone\\n" | cat - "$2" > "$2.new" && mv "$2.new" "$2"\n',
    );
    chmodSync(editor, 0o755);
    const { code } = await openTerminal(project, ["tasks", "build"], { env: { EDITOR: `${editor} --wait` } }).ended();
    expect(code).toBe(0);
    const [, titles] = project.journal().match(/"tasks":(\[.*?\])/) ?? [];
    expect(JSON.parse(titles ?? "[]")).toMatchObject([{ id: "t1", title: "Third; touch gone" }]);
    // One that does not exist, and one that leaves no file.
    for (const EDITOR of [join(project.root, "none"), "rm"]) {
      const failed = await openTerminal(project, ["tasks", "build"], { env: { EDITOR } }).ended();
      expect([failed.code, failed.text]).toEqual([2, expect.stringContaining("nothing was changed")]);
    }
  });
});

describe("start", () => {
  const typed = `name: flow
description: a test
variables:
  ticket: { type: text, required: true, description: The number of the issue, pattern: "[A-Z]+-[0-9]+" }
  check: { type: command, required: true }
steps:
  - { id: work, type: action, instructions: "Do {vars.ticket}", gate: [{ command: check }] }
`;

  it("asks a person for required variables, then whether to trust the command that they gave", async () => {
    const project = projectWith(typed);
    const terminal = openTerminal(project, ["start", "flow"], { env: { NO_COLOR: "1" } });
    const first = await terminal.until(/> $/);
    expect(first.replaceAll("\r", "")).toBe("ticket (text that matches [A-Z]+-[0-9]+): The number of the issue\n> ");
    terminal.type("seven\r");
    await terminal.until(/The value must match \[A-Z\]\+-\[0-9\]\+, not "seven"\.[^>]*> $/);
    terminal.type("ENG-7\r");
    await terminal.until(/check \(a command, set by a person\)\s+> $/);
    terminal.type("touch given.txt\r");
    expect(await terminal.until(/\[y\/N\] $/)).toContain("gate of work, at most 10m, from check: touch given.txt");
    terminal.type("y\r");
    expect(await terminal.ended()).toMatchObject({ code: 0, text: expect.stringContaining("Do ENG-7") });
    await project.json(["advance"]);
    expect(existsSync(join(project.root, "given.txt"))).toBe(true);
  });

  it("asks no script and no agent for them", async () => {
    const project = projectWith(typed);
    expect((await project.json(["start", "flow"])).value.error.code).toBe("variable-missing");
    const terminal = openTerminal(project, ["start", "flow"], { env: { CLAUDECODE: "1" } });
    expect(await terminal.ended()).toMatchObject({ code: 1, text: expect.stringContaining("(variable-missing)") });
  });
});
