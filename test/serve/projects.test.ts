import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { findUser } from "../../src/project/find-user.ts";
import { rememberProject } from "../../src/project/known-projects.ts";
import { serveProject } from "./serving.ts";

/** A served project, and another folder beside it that the user is known to work in. */
async function serveWith(name: string) {
  const served = await serveProject();
  onTestFinished(() => served.close());
  const folder = join(dirname(served.project.root), name);
  mkdirSync(folder);
  rememberProject(findUser(served.project.env), folder);
  const headers = await served.enter();
  const ask = (path: string) => served.ask(path, { headers });
  return { served, folder, ask };
}

it.each([
  ["is a link", ".holdfast", "it is a symbolic link"],
  ["is a file", ".holdfast", "a part of its path is a file"],
  ["has a file for its runs", ".holdfast/runs", "a part of its path is a file"],
])("a project whose state %s hides none of the others", async (_what, place, why) => {
  const { served, folder, ask } = await serveWith("broken");
  const path = join(folder, place);
  mkdirSync(dirname(path), { recursive: true });
  if (why.includes("link")) symlinkSync(join(served.project.root, ".holdfast"), path);
  else writeFileSync(path, "");
  const rows: { folder: string; problem: string | null }[] = (await ask("/api/projects")).json;
  expect(rows.find((row) => row.folder === folder)?.problem).toContain(why);
  expect((await ask("/api/runs")).json.cards).toHaveLength(1);
  for (const each of ["/api/inbox", "/api/costs", "/metrics"]) expect((await ask(each)).status).toBe(200);
});

it("a project that has become unreadable hides none of the others", async () => {
  const { folder, ask } = await serveWith("unreadable");
  mkdirSync(join(folder, ".holdfast/runs/plan-20260101_000000-aaaa/journal.jsonl"), { recursive: true });
  writeFileSync(join(folder, ".holdfast/cache"), "");
  expect((await ask("/api/runs")).json.cards).toHaveLength(1);
  for (const each of ["/api/inbox", "/api/costs", "/metrics"]) expect((await ask(each)).status).toBe(200);
});

it("costs are those of one project if it is named", async () => {
  const { served, ask } = await serveWith("other");
  const rows: { id: string }[] = (await ask("/api/projects")).json;
  const other = rows.find(({ id }) => id !== served.id)?.id;
  expect((await ask(`/api/costs?project=${served.id}`)).json.runs).toMatchObject([{ project: served.id }]);
  expect((await ask(`/api/costs?project=${other}`)).json.runs).toEqual([]);
  expect((await ask("/api/costs?project=unknown")).status).toBe(404);
});

it("a folder whose name ends with a space is a project, too", async () => {
  const { folder, ask } = await serveWith("spaced ");
  const rows: { folder: string }[] = (await ask("/api/projects")).json;
  expect(rows.map((row) => row.folder)).toContain(folder);
});

it("only a link is answered without a token, and nothing below it", async () => {
  const { served } = await serveWith("other");
  for (const path of ["/open/a/b", "/open/a/assets/x.js", "/open/"]) expect((await served.ask(path)).status).toBe(401);
});

it("a project that is known under a link, too, is listed once", async () => {
  const { served, folder, ask } = await serveWith("elsewhere");
  const user = findUser(served.project.env);
  const links = ["a-link", "z-link"].map((name) => join(dirname(folder), name));
  for (const link of links) {
    symlinkSync(served.project.root, link);
    rememberProject(user, link);
  }
  const rows: { folder: string; id: string }[] = (await ask("/api/projects")).json;
  expect(rows.map((row) => row.folder)).toEqual([folder, served.project.root]);
  expect((await ask("/api/runs")).json.cards).toHaveLength(1);
});
