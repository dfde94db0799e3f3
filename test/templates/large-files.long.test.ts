import { describe, expect, test } from "vitest";
import { loadTemplate } from "../../src/templates/load.ts";
import { loadInProject } from "./reuse/project.ts";

describe("a file with many mistakes", () => {
  test.each([
    ["far too large", "key: value\n".repeat(500_000)],
    ["nested without end", "[".repeat(200_000)],
    [
      "full of unknown names",
      `name: a\ndescription: b\nsteps:\n${Array.from({ length: 3_000 }, (_, index) => `  - { id: step${index}, type: action, instructions: x, outcomes: { a: setp${index} } }\n`).join("")}`,
    ],
    [
      "full of placeholders",
      `name: a\ndescription: b\nsteps: [{ id: a, type: action, instructions: "${"{task.id}".repeat(25_000)}" }]`,
    ],
  ])("that is %s is told so in a few seconds", (_, text) => {
    const begin = process.cpuUsage();
    expect(loadTemplate(text).ok).toBe(false);
    // Of the processor's time: what else the machine does is not counted.
    expect(process.cpuUsage(begin).user).toBeLessThan(10_000_000);
  });
});

describe("a hostile project", () => {
  test("cannot keep the loader busy with thousands of steps and changes", () => {
    const steps = Array.from({ length: 3_000 }, (_, index) => `  - { id: s${index}, type: action, instructions: x }\n`);
    const big = `name: base\ndescription: x\nsteps:\n${steps.join("")}`;
    const changes = Array.from({ length: 500 }, (_, index) => `  - { step: s${index}, set: { agent: a${index} } }\n`);
    const reading = loadInProject(`name: ship\nextends: base\nchange:\n${changes.join("")}`, {
      ".holdfast/workflows/base.yaml": big,
    });
    expect(reading.ok ? [] : reading.problems).toHaveLength(201);
  });
});

describe("mistakes in the file", () => {
  const list = `variables: ${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  test.each([
    { mistake: "a hundred thousand brackets", text: "[".repeat(100_000), place: [1, 101] },
    {
      mistake: "a hundred thousand brackets, closed again",
      text: `name: feature\ndescription: Build it\n${list}\nsteps:\n  - { id: plan, type: action, instructions: Plan it }\n`,
      place: [3, 111],
    },
    { mistake: "a hundred thousand braces", text: "{a: ".repeat(50_000), place: [1, 401] },
  ])("$mistake", ({ text, place: [line, column] }) => {
    expect(loadTemplate(text)).toMatchObject({
      ok: false,
      problems: [{ position: { line, column }, path: "", message: "the file is nested too deeply" }],
    });
  });
});
