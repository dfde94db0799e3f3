import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import type { Project } from "../cli/program.ts";
import { recordedIo } from "../cli/recorded-io.ts";
import { approvedPlan, type ServedProject, serveProject } from "./serving.ts";

let served: ServedProject;
beforeEach(async () => {
  served = await serveProject({}, approvedPlan);
  await served.project.holdfast(["advance", "--output", "the plan"]);
});
afterEach(() => served.close());

/** A person at a terminal. */
async function person(project: Project, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { io, said } = recordedIo({ cwd: project.root, env: { ...project.env, ...env }, isTerminal: true });
  const code = await runCli(words, io);
  return { code, ...said };
}

async function create(name: string, level: string): Promise<Readonly<Record<string, string>>> {
  const { out } = await person(served.project, ["token", "create", "--name", name, "--level", level]);
  return { authorization: `Bearer ${/hft_\S+/.exec(out)?.[0]}` };
}

const folder = () => join(served.project.home, ".config/holdfast/tokens");

it("a token reads, by the name that it was created with, until it is revoked", async () => {
  const headers = await create("grafana", "read");
  expect((await served.ask("/api/me", { headers })).json).toMatchObject({ level: "read", name: "grafana" });
  expect((await served.ask("/metrics", { headers })).text).toContain('holdfast_runs{state="needs-you"} 1\n');
  const listed = await person(served.project, ["token", "list"]);
  expect(listed.out).toMatch(/^grafana {2}read/);
  await person(served.project, ["token", "revoke", "grafana"]);
  expect((await served.ask("/api/me", { headers })).status).toBe(401);
});

it("the token itself is stored nowhere, and nobody else may read what is", async () => {
  const { authorization = "" } = await create("ci", "agent");
  const [file = ""] = readdirSync(folder());
  const text = readFileSync(join(folder(), file), "utf8");
  // The secret itself may have underscores, too.
  const secret = /hft_[^_]+_(\S{20,})/.exec(authorization)?.[1];
  expect(secret).toBeDefined();
  expect(text).not.toContain(secret);
  expect(statSync(join(folder(), file)).mode & 0o777).toBe(0o600);
  expect((await person(served.project, ["token", "list", "--json"])).out).not.toContain("hash");
});

const asPerson: readonly (readonly [string, object])[] = [
  ["approve", {}],
  ["reject", { reason: "no" }],
  ["answer", { answer: "yes" }],
  ["decide", { verdict: "retry" }],
  ["pause", {}],
  ["resume", {}],
  ["tell", { text: "hello" }],
  ["release", {}],
  ["abort", { yes: true }],
  ["reopen", { run: "plan" }],
  ["goto", { step: "build", reason: "now" }],
  ["reset", {}],
  ["withdraw", {}],
  ["adopt", {}],
  ["start", { workflow: "plan", another: true, trust: true }],
  ["trust", { workflow: "plan", yes: true }],
];

it.each(asPerson)("no token acts as a person: %s", async (operation, body) => {
  const before = served.project.journal();
  for (const level of ["read", "agent"]) {
    const headers = { ...(await create(`${level}-1`, level)), ...served.page };
    const { status, json } = await served.ask(`/api/projects/${served.id}/${operation}`, { headers, body });
    expect([status, json.error.code]).toEqual([403, "level-too-low"]);
  }
  expect(served.project.journal()).toBe(before);
  expect(
    readdirSync(join(served.project.root, ".holdfast/runs")).filter((name) => name.startsWith("plan-")),
  ).toHaveLength(1);
});

it("an agent's token does an agent's work, and a reader's does not", async () => {
  const path = `/api/projects/${served.id}/ask`;
  const reader = await served.ask(path, { headers: await create("r", "read"), body: { question: "Blue?" } });
  expect(reader.status).toBe(403);
  const agent = await served.ask(path, { headers: await create("a", "agent"), body: { question: "Blue?" } });
  expect([agent.status, agent.json.step]).toEqual([200, "plan"]);
});

it("an agent cannot create one, nor can a script without the person's secret", async () => {
  const words = ["token", "create", "--name", "x", "--level", "read"];
  const agent = await person(served.project, words, { CLAUDECODE: "1" });
  expect([agent.code, agent.err]).toEqual([1, expect.stringContaining("person-needed")]);
  const script = await served.project.holdfast(words);
  expect([script.code, script.stderr]).toEqual([1, expect.stringContaining("person-needed")]);
});

it.each([
  [["--name", "a b", "--level", "read"], "--name must be a name"],
  [["--name", "../x", "--level", "read"], "--name must be a name"],
  [["--name", "x"], "--level is missing"],
  [["--level", "read"], "--name is missing"],
  [["--name", "x", "--level", "person"], '"person" is not one of read, agent'],
])("bad input is explained: %j", async (words, message) => {
  const { code, err } = await person(served.project, ["token", "create", ...words]);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

it("a name is used once, and only a known one can be revoked", async () => {
  await create("twice", "read");
  const again = await person(served.project, ["token", "create", "--name", "twice", "--level", "agent"]);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining("token-exists")]);
  const unknown = await person(served.project, ["token", "revoke", "never"]);
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("token-unknown")]);
});

it.each([
  ["damaged", "{", "it is not a token"],
  ["of a newer version", '{"format":7}', "has format 7"],
])("a file that is %s lets nobody in and can be revoked", async (_what, content, message) => {
  const headers = await create("odd", "read");
  const [file = ""] = readdirSync(folder());
  writeFileSync(join(folder(), file), content);
  expect((await served.ask("/api/me", { headers })).status).toBe(401);
  const listed = await person(served.project, ["token", "list"]);
  expect([listed.code, listed.err]).toEqual([3, expect.stringContaining(message)]);
  expect((await person(served.project, ["token", "revoke", "odd"])).code).toBe(0);
});

it("a place where it cannot be stored is reported", async () => {
  mkdirSync(dirname(folder()), { recursive: true });
  writeFileSync(folder(), "in the way");
  const { code, err } = await person(served.project, ["token", "create", "--name", "second", "--level", "read"]);
  expect([code, err]).toEqual([3, expect.stringContaining("file-unwritable")]);
});
