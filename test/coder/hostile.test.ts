import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCoded, key, sentIn, stepOf } from "./coded.ts";
import type { ModelAnswer } from "./model/answer.ts";
import type { ModelRequest } from "./model/request.ts";

const question = "Which greeting do people get?";
const call = (name: string, input: Record<string, unknown>) => ({ name, input });
const calls = (...made: ReturnType<typeof call>[]): ModelAnswer => ({ calls: made });

/** Reads a file and asks a person; after the answer it submits a plan, and then asks again. */
function answer({ messages }: ModelRequest): ModelAnswer {
  const made = messages.flatMap((message) => message.calls.map(({ name }) => name));
  if (!made.includes("read")) return calls(call("read", { path: "README.md" }));
  if (!made.includes("ask_question")) return calls(call("ask_question", { question }));
  return calls(call("ask_question", { question: "And now?" }));
}

/** A run that waits for an answer, and the file of its conversation. */
async function createWaiting() {
  const project = await createCoded({ answer });
  expect(await project.run()).toMatchObject({ code: 4 });
  expect(await project.person("answer", "Hello and the name")).toMatchObject({ code: 0 });
  return { project, file: join(project.runFolder(), "coder.jsonl"), asked: project.model.requests.length };
}

describe("the file of the conversation", () => {
  test("goes on where half a line was written at its end", async () => {
    const { project, file, asked } = await createWaiting();
    const before = readFileSync(file, "utf8");
    appendFileSync(file, '["0123456789abcd",{"type":"message-app');
    expect(await project.resume()).toMatchObject({ code: 4, stderr: "" });
    const [last, next] = [project.model.requests[asked - 1], project.model.requests[asked]];
    expect(next?.messages.slice(0, 3)).toEqual(last?.messages);
    expect(readFileSync(file, "utf8").startsWith(before)).toBe(true);
  });

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

  test("of a newer version is left as it is, with one clear message", async () => {
    const { project, file, asked } = await createWaiting();
    const newer = readFileSync(file, "utf8").replace('"format":1', '"format":2');
    writeFileSync(file, newer);
    const { code, stdout, stderr } = await project.resume();
    expect(`${stdout}${stderr}`).toMatch(
      /coder\.jsonl has format 2, which this version of Holdfast cannot read[\s\S]*update Holdfast/,
    );
    expect(code).toBe(3);
    expect(`${stdout}${stderr}`).not.toMatch(/^ {4}at /m);
    expect(readFileSync(file, "utf8")).toBe(newer);
    expect(project.model.requests).toHaveLength(asked);
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

/** All that a run has left on disk. */
function leftBy(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
}

test("the provider's key reaches neither the model nor the disk, however a tool prints it", async () => {
  const base64 = Buffer.from(`x-api-key: ${key}\n`).toString("base64");
  const spelled = "k/e+y in a URL: 100%";
  const forms = [key, Buffer.from(key).toString("base64").slice(0, 36), encodeURIComponent(spelled), spelled];
  const project = await createCoded({
    answer: ({ messages }) =>
      messages.length > 1
        ? calls(call("ask_question", { question }))
        : calls(
            call("read", { path: "notes.txt" }),
            call("shell", { command: "cat notes.txt" }),
            call("search", { pattern: "planted|URL|api|eC1" }),
            call("shell", { command: "node print.js" }),
          ),
  });
  const all = [key, base64, encodeURIComponent(spelled), spelled].join("\n");
  project.write("notes.txt", `${all}\n`);
  project.write("print.js", `process.stdout.write(${JSON.stringify(all)}); console.error(process.env);`);
  const env = { ...project.settings, OTHER_API_KEY: spelled };
  const words = ["run", "story", "Greet", "--agent", project.agent, "--yes"];
  const { code, stdout, stderr } = await project.holdfast(words, { env });
  expect(code, stderr).toBe(4);
  const report = await project.holdfast(["report"], { env });
  const seen = [stdout, stderr, report.stdout, leftBy(join(project.root, ".holdfast/runs"))];
  const sent = project.model.requests.map(({ body }) => JSON.stringify(body));
  expect(sent).toHaveLength(2);
  expect(sent[1]).toContain("***");
  for (const form of forms)
    for (const [at, text] of [...seen, ...sent].entries()) expect(text.includes(form), `${form} in ${at}`).toBe(false);
});

test("a file is written as the model wrote it, also where that looks like a secret of this machine", async () => {
  const content = 'export const url = "postgres://localhost";\n';
  const project = await createCoded({
    answer: ({ messages }) =>
      calls(messages.length > 1 ? call("ask_question", { question }) : call("write", { path: "db.js", content })),
  });
  const env = { ...project.settings, DB_PASSWORD: "postgres" };
  const words = ["run", "story", "Greet", "--agent", project.agent, "--yes"];
  expect(await project.holdfast(words, { env })).toMatchObject({ code: 4 });
  expect(project.read("db.js")).toBe(content);
});
