import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createVisitLogs } from "../../src/runner/visit-logs.ts";
import { createProject } from "../cli/program.ts";
import { createDriven, type DrivenProject } from "./driven.ts";

const oneStep = "steps: [{ id: build, type: action, instructions: Build it }]";

/** A live run that was parked, and an agent that would answer now. */
async function createParked(): Promise<DrivenProject> {
  const project = createDriven(oneStep, "true");
  expect(await project.run()).toMatchObject({ code: 4 });
  project.agent("echo done");
  return project;
}

describe("visit logs", () => {
  const now = () => "2026-01-01T00:00:00.000Z";
  const same = <T>(entry: T) => entry;
  const text = (length: number) => ({ type: "text", text: "x".repeat(length) });

  test("of a run take only so much room: the oldest are removed, never that of the visit at hand", () => {
    const folder = join(createProject().root, "visits");
    const logs = createVisitLogs(folder, same, now, 1_000);
    for (const token of ["a#1", "b#1"]) logs.write(token, text(300));
    const [oldest = ""] = readdirSync(folder).filter((name) => name.startsWith("a-"));
    utimesSync(join(folder, oldest), 1, 1);
    logs.write("c#1", text(300));
    logs.write("c#1", text(300));
    logs.write("c#1", text(300));
    logs.close();
    const left = readdirSync(folder);
    expect(left.map((name) => name.slice(0, 3))).toEqual(["c-1"]);
    const lines = readFileSync(join(folder, left[0] ?? ""), "utf8").split("\n");
    expect(lines).toHaveLength(3);
  });

  test("go on in a new line after a runner that was killed while it wrote", () => {
    const folder = join(createProject().root, "visits");
    const first = createVisitLogs(folder, same, now);
    first.write("a#1", text(10));
    first.write("a#1", text(10));
    first.close();
    const file = join(folder, readdirSync(folder)[0] ?? "");
    truncateSync(file, readFileSync(file).length - 20);
    const second = createVisitLogs(folder, same, now);
    second.write("a#1", { type: "text", text: "WHOLE" });
    second.close();
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    expect(JSON.parse(lines[2] ?? "")).toMatchObject({ text: "WHOLE" });
  });

  test.each(["file", "folder"])("are not written through a link to a %s", async (what) => {
    const project = await createParked();
    const visits = join(project.runFolder(), "visits");
    const elsewhere = join(project.home, "elsewhere");
    mkdirSync(elsewhere);
    const [name = ""] = readdirSync(visits);
    writeFileSync(join(elsewhere, name), "theirs\n");
    renameSync(visits, `${visits}-before`);
    if (what === "folder") symlinkSync(elsewhere, visits);
    else {
      mkdirSync(visits);
      symlinkSync(join(elsewhere, name), join(visits, name));
    }
    expect(await project.resume()).toMatchObject({ code: 3, stderr: expect.stringContaining("visits") });
    expect(readFileSync(join(elsewhere, name), "utf8")).toBe("theirs\n");
    expect(project.prompts()).toHaveLength(1);
  });
});

describe("the file with the agent's result", () => {
  test.each([
    ["garbage", "{]"],
    ["a list", "[1]"],
    ["the result of another visit", JSON.stringify({ token: "plan#7", result: { output: "not MINE" } })],
    ["no result", JSON.stringify({ token: "build#1", result: null })],
    ["a result of the wrong kind", JSON.stringify({ token: "build#1", result: "not MINE" })],
  ])("is as good as absent if it has %s", async (_what, text) => {
    const project = await createParked();
    writeFileSync(join(project.runFolder(), "turn.json"), text);
    expect(await project.resume()).toMatchObject({ code: 0 });
    expect(project.prompts()).toHaveLength(2);
    expect(project.journal()).not.toMatch(/not MINE/);
  });

  test.each([
    ["a link", (file: string, project: DrivenProject) => symlinkSync(project.write("theirs.json", "{}"), file)],
    ["a pipe", (file: string) => void execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', file])],
    ["a folder", (file: string) => void mkdirSync(file)],
    ["too long", (file: string) => writeFileSync(file, Buffer.alloc(70_000_000))],
  ])("is named, and nothing is started, if it is %s", async (_what, make) => {
    const project = await createParked();
    make(join(project.runFolder(), "turn.json"), project);
    expect(await project.resume()).toMatchObject({ code: 3, stderr: expect.stringContaining("turn.json") });
    expect(project.prompts()).toHaveLength(1);
  });
});

test("a state folder that cannot be written starts no agent", async () => {
  const project = await createParked();
  chmodSync(dirname(project.root), 0o755);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    expect(await project.resume()).toMatchObject({ code: 3, stderr: expect.stringContaining(".holdfast") });
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
  expect(project.prompts()).toHaveLength(1);
  expect(await project.resume()).toMatchObject({ code: 0 });
});
