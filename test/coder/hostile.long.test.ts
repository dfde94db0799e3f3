import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sentIn, stepOf } from "./coded.ts";
import { createWaiting } from "./hostile-conversation.ts";
import type { ModelRequest } from "./model/request.ts";

describe("the file of the conversation", () => {
  const damages: readonly [name: string, damage: (text: string) => string | Buffer][] = [
    ["garbage in its middle", (text) => text.replace("README.md", "README.mdx")],
    ["a line that is missing", (text) => text.split("\n").toSpliced(2, 1).join("\n")],
    ["bytes that are no text", () => Buffer.from([0, 255, 254, 10, 13, 0])],
    ["nothing", () => ""],
    ["another file", () => '{"type":"something-else"}\n'],
    ["a value nested without an end", () => "[".repeat(100_000)],
  ];
  test.each(damages)("with %s, a new conversation begins with what was done", async (_name, damage) => {
    const { project, file, asked } = await createWaiting();
    writeFileSync(file, damage(readFileSync(file, "utf8")));
    const { code, stdout, stderr } = await project.resume();
    expect(code, stderr).toBe(4);
    expect(stdout + stderr).not.toMatch(/^ {4}at /m);
    const request = project.model.requests[asked] as ModelRequest;
    expect(request.messages).toHaveLength(1);
    expect(stepOf(request)).toBe("PLANNING");
    expect(sentIn(request)).toContain("Hello and the name");
  });

  const places: readonly [name: string, place: (file: string, outside: string) => void][] = [
    ["a link to a file of the user", (file, outside) => symlinkSync(outside, file)],
    ["a link to nothing", (file, outside) => symlinkSync(`${outside}-not-there`, file)],
    ["a pipe", (file) => execFileSync("sh", ["-c", 'mkfifo "$0"', file])],
    ["a folder", (file) => execFileSync("mkdir", [file])],
  ];
  test.each(places)("with %s in its place, nothing is read or written through it", async (_name, place) => {
    const { project, file, asked } = await createWaiting();
    const outside = project.write("../home/diary.txt", "Dear diary\n");
    rmSync(file);
    place(file, outside);
    const { code, stdout, stderr } = await project.resume();
    const said = `${stdout}${stderr}`;
    expect(said).toContain("coder.jsonl");
    expect(said).not.toMatch(/^ {4}at /m);
    expect(code).toBe(3);
    expect(readFileSync(outside, "utf8")).toBe("Dear diary\n");
    expect(existsSync(`${outside}-not-there`)).toBe(false);
    expect(project.model.requests).toHaveLength(asked);
  });
});
