import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject, type Project, twoSteps } from "./program.ts";

const secret = "0123456789abcdef0123456789abcdef";

function sharedProject(project = "shop"): Project {
  const made = createProject();
  made.write(".holdfast/workflows/two.yaml", twoSteps);
  made.write(".holdfast/config.yaml", `cards: off\nstore: postgres\nproject: ${JSON.stringify(project)}\n`);
  mkdirSync(join(made.home, ".config/holdfast"), { recursive: true });
  writeFileSync(join(made.home, ".config/holdfast/secret"), `${secret}\n`);
  return made;
}

const asAnn = (project: Project) => ["--as", "ann", "--secret-file", join(project.home, ".config/holdfast/secret")];

test("a shared project that nobody has confirmed is refused, and so is one without a database", async () => {
  const project = sharedProject();
  const unconfirmed = await project.holdfast(["start", "two"]);
  expect([unconfirmed.code, unconfirmed.stderr]).toEqual([3, expect.stringContaining("holdfast store confirm")]);
  const confirmed = await project.holdfast(["store", "confirm", "--yes", ...asAnn(project)]);
  expect([confirmed.code, confirmed.stdout]).toEqual([0, expect.stringContaining("shop")]);
  const unconfigured = await project.holdfast(["start", "two"]);
  expect([unconfigured.code, unconfigured.stderr]).toEqual([3, expect.stringContaining("HOLDFAST_DATABASE_URL")]);
  const status = await project.json(["store", "status"]);
  expect(status).toMatchObject({ code: 1, value: { project: "shop", confirmed: true, where: null, reachable: null } });
});

test("only a person confirms a project, and sees every character of its name", async () => {
  const project = sharedProject("shop\u202epohs");
  const byNobody = await project.holdfast(["store", "confirm", "--yes"]);
  expect([byNobody.code, byNobody.stderr]).toEqual([1, expect.stringContaining("person-needed")]);
  const unsure = await project.holdfast(["store", "confirm", ...asAnn(project)]);
  expect([unsure.code, unsure.stderr]).toEqual([1, expect.stringContaining("\\u{202e}")]);
  const sure = await project.holdfast(["store", "confirm", "--yes", ...asAnn(project)]);
  expect(sure.stdout).toContain("202e");
});

test("a project with its runs in files has nothing to confirm or move, and says where they are", async () => {
  const project = createProject();
  project.write(".holdfast/workflows/two.yaml", twoSteps);
  await project.holdfast(["start", "two"]);
  expect((await project.holdfast(["store", "status"])).stdout).toBe("runs are in files: 1 run in .holdfast/runs\n");
  for (const words of [["confirm"], ["migrate", "--to", "postgres"], ["migrate", "--to", "files"]]) {
    const refused = await project.holdfast(["store", ...words]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("store-local")]);
  }
});

test("an address with a password that is no database's is not repeated", async () => {
  const project = sharedProject();
  await project.holdfast(["store", "confirm", "--yes", ...asAnn(project)]);
  const env = { HOLDFAST_DATABASE_URL: "mysql://ann:planted-Pa55word@host/db" };
  for (const words of [["start", "two"], ["store", "status"], ["store", "init"], ["runs"], ["doctor"]]) {
    const { stdout, stderr } = await project.holdfast(words, { env });
    expect(`${stdout}${stderr}`).not.toContain("planted");
  }
  expect(readFileSync(join(project.home, ".config/holdfast/shared-projects.jsonl"), "utf8")).not.toContain("planted");
});
