import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hashLine } from "../../../src/app/transfer/hashed-line.ts";
import { makeMachines } from "./machines.ts";

const flow = `
steps:
  - { id: plan, type: action, instructions: "Plan it" }
  - { id: build, type: action, instructions: "Build it: {outputs.plan}" }
  - { id: ship, type: action, instructions: "Ship it" }
`;

/** A run at its second step, and the file that it was exported to. */
async function exported() {
  const machines = makeMachines({ flow });
  const agent = machines.ada.agent();
  const { runId: run } = await agent.ok("start", { workflow: "flow", summary: "日本語 🚀" });
  await agent.ok("advance", { output: 'a "plan"\nof two lines' });
  const { text } = await machines.ada.script().ok("export", { run });
  return { ...machines, run, text: text ?? "" };
}

const source = "run.holdfast";

describe("a run in a file", () => {
  it("is an equal run on the other machine", async () => {
    const { ada, bob, run, text } = await exported();
    expect(await bob.script().ok("import", { text, source })).toEqual({
      runId: run,
      result: "new",
      step: "build",
      kept: null,
    });
    const [there, here] = [await ada.script().events(run), await bob.script().events(run)];
    expect(here.slice(0, -1)).toEqual(there);
    expect(here.at(-1)).toMatchObject({ type: "run-received", from: "a file", after: 0, worktree: null });
    const instructions = async (machine: typeof ada) =>
      (await machine.script().ok("status", { run })) as { instructions: string };
    expect((await instructions(bob)).instructions).toBe((await instructions(ada)).instructions);
    const again = await bob.script().ok("import", { text, source });
    expect(again).toMatchObject({ result: "same" });
  });

  it("is written where it is told to, and has nothing of what can be made again", async () => {
    const { ada, run, text } = await exported();
    const file = join(ada.home, "run.holdfast");
    const answer = await ada.script().ok("export", { run, file });
    expect(answer).toMatchObject({ runId: run, commits: 2, file, text: null });
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(text.split("\n").map((line) => Object.keys(line === "" ? {} : JSON.parse(line))[0])).toEqual([
      "format",
      "name",
      "format",
      "format",
      "type",
      undefined,
    ]);
  });

  it("is written over an older export of the same run, and over nothing else", async () => {
    const { ada, run, text } = await exported();
    const path = (name: string) => join(ada.home, name);
    await ada.script().ok("export", { run, file: path("run.holdfast") });
    await ada.agent().ok("advance", { output: "built" });
    symlinkSync("run.holdfast", path("link"));
    expect(await ada.script().ok("export", { run, file: path("link") })).toMatchObject({ commits: 3 });
    expect(lstatSync(path("link")).isSymbolicLink()).toBe(true);
    expect(readFileSync(path("run.holdfast"), "utf8")).not.toBe(text);
    await ada.person().ok("abort", { reason: "enough" });
    const { runId: other } = await ada.agent("s2").ok("start", { workflow: "flow" });
    writeFileSync(path("notes"), "precious");
    symlinkSync("notes", path("link-to-notes"));
    symlinkSync("nowhere", path("link-to-nothing"));
    for (const name of ["notes", "run.holdfast", "link-to-notes", "link-to-nothing"]) {
      const file = path(name);
      expect(await ada.script().no("export", { run: other, file })).toEqual({ code: "file-exists", file });
    }
    expect(readFileSync(path("notes"), "utf8")).toBe("precious");
    expect(existsSync(path("nowhere"))).toBe(false);
  });

  it("is written into a pipe, which stays one", async () => {
    const { ada, run, text } = await exported();
    const file = join(ada.home, "pipe");
    execFileSync("sh", ["-c", 'mkfifo "$0"', file]);
    const [read] = await Promise.all([readFile(file, "utf8"), ada.script().ok("export", { run, file })]);
    expect(read).toBe(text);
    expect(lstatSync(file).isFIFO()).toBe(true);
    symlinkSync("ring", join(ada.home, "ring"));
    for (const unfit of [ada.home, join(ada.home, "ring")]) {
      await expect(ada.script().ok("export", { run, file: unfit })).rejects.toMatchObject({ code: "file-unwritable" });
    }
  });

  it("survives a way that ends lines differently", async () => {
    const { bob, text } = await exported();
    const changed = text.replaceAll("\n", "\r\n");
    expect(await bob.script().ok("import", { text: changed, source })).toMatchObject({ result: "new" });
  });

  it("goes on from what is here, and is refused where both have gone on", async () => {
    const { ada, bob, run, text } = await exported();
    await bob.script().ok("import", { text, source });
    await ada.agent().ok("advance", { output: "built" });
    const longer = (await ada.script().ok("export", { run })).text ?? "";
    expect(await bob.script().ok("import", { text: longer, source })).toMatchObject({
      result: "updated",
      step: "ship",
    });
    await ada.person().ok("pause", { reason: "lunch" });
    await bob.person().ok("abort", { reason: "enough" });
    const other = (await ada.script().ok("export", { run })).text ?? "";
    expect(await bob.person().no("import", { text: other, source })).toMatchObject({
      code: "runs-diverged",
      from: "a file",
    });
    expect(await bob.person().ok("import", { text: other, source, keep: "file" })).toMatchObject({
      result: "updated",
      kept: expect.stringMatching(/^journal\.kept-[0-9a-f]{12}\.jsonl$/),
    });
    expect(await bob.script().ok("status", { run })).toMatchObject({ status: "paused" });
  });
});

describe("a file that is not what was exported", () => {
  const lines = (text: string) => text.trimEnd().split("\n");
  const joined = (parts: readonly string[]) => parts.map((line) => `${line}\n`).join("");

  it.each<[string, (text: string) => string, number, string]>([
    [
      "a changed event",
      (text) => text.replace("of two lines", "of too lines"),
      4,
      "its content does not match its hash",
    ],
    ["a changed template", (text) => text.replace("Ship it", "Sink it"), 2, "it was changed or truncated"],
    ["another run's name", (text) => text.replace(/a001/, "a002"), 1, "it was changed or truncated"],
    [
      "a missing commit",
      (text) => joined(lines(text).filter((_, index) => index !== 2)),
      3,
      "version 2 follows version 0",
    ],
    ["a line too many", (text) => `${text}{}\n`, 6, "there is content after the end"],
    ["a cut within a line", (text) => text.slice(0, text.indexOf("of two lines")), 4, "it was cut off"],
    ["a cut between lines", (text) => joined(lines(text).slice(0, 3)), 3, "the file is truncated here"],
    ["a cut before the journal", (text) => joined(lines(text).slice(0, 2)), 2, "the file is truncated here"],
    ["a missing end", (text) => joined(lines(text).slice(0, 4)), 4, "the file is truncated here"],
    [
      "an end of another file",
      (text) => joined([...lines(text).slice(0, 4), hashLine({ type: "end", all: "0" })]),
      5,
      "it does not match the lines before it",
    ],
    ["something else", () => "hello\n", 1, "it is not a file that holdfast export wrote"],
    ["nothing", () => "", 1, "it is not a file that holdfast export wrote"],
  ])("is refused for %s, and says where", async (_, change, line, problem) => {
    const { bob, text } = await exported();
    expect(await bob.script().no("import", { text: change(text), source })).toEqual({
      code: "copy-damaged",
      source,
      line,
      problem,
    });
    expect(await bob.script().ok("runs")).toEqual({ runs: [], damaged: [] });
  });

  it("is refused as newer when it is", async () => {
    const { bob } = await exported();
    const text = `${hashLine({ format: 2, type: "holdfast-run" })}\n`;
    await expect(bob.script().ok("import", { text, source })).rejects.toMatchObject({
      code: "format-newer",
      data: { format: 2 },
    });
  });

  it("leads nowhere outside of the runs", async () => {
    const { bob, text } = await exported();
    const name = /template-[0-9a-f]{16}\.json/.exec(text)?.[0] ?? "";
    const parts = lines(text);
    const template = JSON.parse(parts[1] ?? "");
    parts[1] = hashLine({ name: "../../../../stolen", text: template.text });
    writeFileSync(join(bob.home, "evil"), joined(parts));
    expect(await bob.script().no("import", { text: joined(parts), source })).toEqual({
      code: "copy-damaged",
      source,
      line: null,
      problem: `its template ${name} is missing`,
    });
  });
});
