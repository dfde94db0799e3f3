import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCoded, key } from "./coded.ts";
import { call, calls, createWaiting, question } from "./hostile-conversation.ts";

/** All that a run has left on disk. */
function leftBy(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
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
});

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
