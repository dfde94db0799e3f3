import { describe, expect, it } from "vitest";
import { revealed, sanitizeText } from "../../src/cli/terminal/sanitize.ts";
import { foul, hidden } from "./foul-text.ts";
import { createProject, type Project } from "./program.ts";
import { openTerminal } from "./terminal.ts";

const found = new RegExp(`[${hidden.join("").replace("\u001b", "\\x1b")}]`, "u");

const flow = `
name: flow
description: ${JSON.stringify(foul)}
variables: { topic: ${JSON.stringify(foul)} }
key_reminders: [${JSON.stringify(foul)}]
steps:
  - id: plan
    type: action
    instructions: ${JSON.stringify(`Plan ${foul}`)}
    gate: [{ exists: ${JSON.stringify(foul)} }]
  - { id: ship, type: action, instructions: Ship, gate: [{ run: ${JSON.stringify(`true ${foul}`)} }, { approval: human }] }
`;

async function foulProject(): Promise<Project> {
  const project = createProject();
  project.write(".holdfast/workflows/flow.yaml", flow);
  project.write(".holdfast/workflows/broken.yaml", `name: broken\n${JSON.stringify(foul)}: ${JSON.stringify(foul)}\n`);
  project.write(`.holdfast/workflows/${foul.replaceAll("\0", "")}.yaml`, "name: other\n");
  project.write("../home/.config/holdfast/config.yaml", "trust: all\n");
  expect((await project.holdfast(["start", "flow", "--summary", foul])).stderr).toBe("");
  await project.holdfast(["ask", foul]);
  return project;
}

const calls = [
  [],
  ["list"],
  ["lint"],
  ["graph", "flow"],
  ["graph", "flow", "--mermaid"],
  ["template", "flow"],
  ["runs"],
  ["status"],
  ["log"],
  ["show", "1"],
  ["context"],
  ["handoff"],
  ["sessions"],
  ["next"],
  ["advance", "--output", foul],
  ["ask", `again ${foul}`],
  ["decide"],
  ["start", foul],
  ["start", "flow", "--var", `${foul}=1`],
  ["status", "--run", foul],
  ["goto", foul, "--reason", foul],
  ["show", foul],
  [foul],
  ["pause", "--reason", foul],
  ["resume"],
  ["track", "list"],
  ["completion", "workflows"],
  ["doctor"],
  ["init", "--host", foul],
  ["import", foul],
  ["import-workflow", foul],
  ["rm", foul],
  ["pull", foul],
];

describe("no text of a repository, a run or a call hides or steers", () => {
  it("in what any command prints", async () => {
    const project = await foulProject();
    const shown: string[] = [];
    for (const words of calls) {
      const { stdout, stderr } = await project.holdfast(words);
      const said = stdout + stderr;
      expect(said, words.join(" ")).not.toBe("");
      expect([words[0], found.exec(said)?.[0].codePointAt(0)?.toString(16)]).toEqual([words[0], undefined]);
      shown.push(said);
    }
    // The texts themselves are there: they were printed, not left out.
    expect(shown.filter((said) => /b{5}|\\u/.test(said)).length).toBeGreaterThan(15);
  });

  it("nor hides in what programs get, unchanged", async () => {
    const project = await foulProject();
    for (const words of calls) {
      const { stdout, stderr } = await project.holdfast([...words, "--json"]);
      expect([words[0], found.exec(stdout + stderr)?.[0]]).toEqual([words[0], undefined]);
    }
    const { value } = await project.json(["status"]);
    expect(value.summary).toBe((await project.json(["log"])).value.events[0].summary);
    expect((await project.json(["template", "flow"])).value.template.description).toBe(foul);
    const { stdout } = await project.holdfast(["show", "1"]);
    expect(JSON.parse(stdout)).toEqual((await project.json(["show", "1"])).value);
    const yaml = (await project.holdfast(["template", "flow"])).stdout;
    project.write(".holdfast/workflows/flow.yaml", yaml);
    expect((await project.json(["template", "flow"])).value.template.description).toBe(foul);
  });

  it("and every character of a command can be seen before and after it is trusted", async () => {
    const project = createProject();
    project.write(".holdfast/workflows/flow.yaml", flow);
    const visible = revealed(`true ${foul}`);
    const refused = await project.holdfast(["start", "flow"]);
    expect(refused.stderr).toContain(`: ${visible}\n`);
    const question = openTerminal(project, ["start", "flow"], { columns: 2_000 });
    expect(await question.until(/\[y\/N\] $/)).toContain(`: ${visible}\r\n`);
    question.type("n\r");
    await question.ended();
    const trusted = await openTerminal(project, ["trust", "flow", "--yes"], { columns: 2_000 }).ended();
    expect(trusted.text).toContain(`: ${visible}\n`);
  });
});

it("what an emoji or a script cannot be read without stays, but not in a command", () => {
  for (const text of ["👩‍💻", "👩🏽‍🚀", "❤️‍🔥", "⚠️ a", "3️⃣", "می‌خواهم", "क्‍ष", "න්‍ද"]) {
    expect(sanitizeText(text)).toBe(text);
    expect(revealed(text)).not.toBe(text);
  }
  for (const text of ["r\u200dm", "a\u200cb", "x\ufe0f", "1\ufe0f", "👩\u200d\u200d💻", "👩\u200d "]) {
    expect(sanitizeText(text)).not.toBe(text);
  }
});
