import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createToken } from "../../src/app/access/token-files.ts";
import type { OperationName } from "../../src/app/operations.ts";
import { findUser } from "../../src/project/find-user.ts";
import { inputSchema } from "../../src/serve/api/input.ts";
import { served as operations } from "../../src/serve/api/served.ts";
import { approvedPlan, type Browser, type ServedProject, serveProject } from "./serving.ts";

/** Stands in a file outside of the project, which no parameter may reach. */
const secret = "the-secret-beside-the-project";

let served: ServedProject;
let browser: Browser;
let agent: Readonly<Record<string, string>>;
const reported: unknown[] = [];

beforeAll(async () => {
  served = await serveProject({ report: (error) => reported.push(error) }, approvedPlan);
  await served.project.holdfast(["advance", "--output", "the plan"]);
  browser = await served.enter();
  const user = findUser(served.project.env);
  const token = createToken(user, { name: "agent", level: "agent", createdAt: new Date().toISOString() });
  agent = { authorization: `Bearer ${token}` };
  const { root, home } = served.project;
  for (const folder of [join(root, ".."), home]) {
    writeFileSync(join(folder, "secret"), secret);
    writeFileSync(join(folder, "secret.yaml"), `name: ${secret}\ndescription: x\nsteps: []\n`);
    mkdirSync(join(folder, "runs/secret"), { recursive: true });
    writeFileSync(join(folder, "runs/secret/journal.jsonl"), secret);
  }
});
afterAll(() => served.close());

const foul = () => [
  "../secret",
  "../../secret.yaml",
  "..\\..\\secret",
  "../runs/secret",
  join(served.project.home, "secret"),
  "file:///etc/passwd",
  "secret\u0000",
  "$(cat ../secret)",
  "__proto__",
  "\u202e\ud800",
];

/** The folders beside the project, with the names in them: where a path that leads out would leave something. */
const around = () => {
  const { root, home } = served.project;
  return [join(root, ".."), home, root].map((folder) => readdirSync(folder).sort());
};

it.each(Object.entries(operations))(
  "no text in any input of %s leads out of the project",
  async (name, { method, level, without = [] }) => {
    const before = around();
    const path = `/api/projects/${served.id}/${name}`;
    const headers = level === "agent" ? agent : { ...browser, ...served.page };
    const { properties, required = [] } = inputSchema(name as OperationName, { method, level, without });
    const others = required.map((each) => [each, properties[each]?.type === "array" ? ["plan"] : "plan"]);
    const texts = Object.entries(properties).filter(([, { type = "string" }]) =>
      ["string", "array"].includes(String(type)),
    );
    for (const [input = "", { type }] of texts) {
      for (const value of foul()) {
        const body: Record<string, string | string[]> = {
          ...Object.fromEntries(others),
          [input]: type === "array" ? [value] : value,
        };
        const { status, text } =
          method === "GET"
            ? await served.ask(`${path}?${new URLSearchParams(body)}`, { headers })
            : await served.ask(path, { headers, body });
        expect([200, 400, 403, 404, 409], `${name} ${input}=${JSON.stringify(value)}: ${text}`).toContain(status);
        expect(text).not.toContain(secret);
        expect(text).not.toContain("root:x:");
      }
    }
    expect(around()).toEqual(before);
  },
);

const outside = [
  "/api/projects/{}/status",
  "/api/runs?project={}",
  "/api/live?project={}&run={}",
  "/mcp/{}",
  "/api/{}",
  "/{}",
  "/assets/{}",
  "/open/{}",
];
it.each(outside)("nor does any part of the address %s", async (pattern) => {
  for (const value of foul().filter((each) => !each.includes("\ud800"))) {
    const path = pattern.replaceAll("{}", encodeURIComponent(value));
    const method = pattern.startsWith("/api/live") ? "HEAD" : "GET";
    const { status, text } = await served.ask(path, { method, headers: pattern.startsWith("/mcp") ? agent : browser });
    expect([200, 400, 404, 405, 410, 503], `${path}: ${text}`).toContain(status);
    expect(text).not.toContain(secret);
    expect(text).not.toContain("root:x:");
  }
});

it("all of it was refused on purpose", () => expect(reported).toEqual([]));
