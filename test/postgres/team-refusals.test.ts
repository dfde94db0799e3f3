import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { plantedPassword } from "../../scripts/postgres-server.ts";
import type { Ended } from "../cli/program.ts";
import { at, makeDatabase, type TestDatabase } from "./database.ts";
import { startProxy } from "./proxy.ts";
import { allTexts, expectDone, type Machine, makeTeam } from "./team.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await makeDatabase();
});
afterEach(() => database.drop());

const nothingStored = async () => expect(await database.query("SELECT run FROM holdfast.runs")).toEqual([]);

test("a project name from a repository counts only after a person has confirmed it in that clone", async () => {
  const team = makeTeam(database);
  const ann = await team.join("ann", { confirms: false });
  const refused = await ann.holdfast(["start", "steps"]);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("holdfast store confirm")]);
  expect(refused.stderr).toContain("store-unconfirmed");
  const listed = await ann.holdfast(["runs"]);
  expect(listed.stdout).toMatch(/^these are the copies here: .*\n {2}Next {3}.*holdfast store confirm/s);
  await nothingStored();
  expect(await database.connections()).toBe(0);
  expect(readdirSync(join(ann.clone, ".holdfast/runs"))).toEqual([]);

  const byAgent = await ann.holdfast(["store", "confirm", "--yes"], { CLAUDECODE: "1" });
  expect([byAgent.code, byAgent.stderr]).toEqual([1, expect.stringContaining("person-needed")]);
  expectDone(await ann.person(["store", "confirm", "--yes"]));
  expectDone(await ann.holdfast(["start", "steps"]));

  // Another name, or another repository in the same folder, is asked for again.
  ann.write(".holdfast/config.yaml", "store: postgres\nproject: theirs\n");
  expect((await ann.holdfast(["start", "steps", "x", "--new"])).stderr).toContain('"theirs"');
  ann.write(".holdfast/config.yaml", "store: postgres\nproject: shop\n");
  execFileSync("git", ["-C", ann.clone, "remote", "set-url", "origin", "https://example.com/other.git"]);
  expect((await ann.holdfast(["start", "steps", "x", "--new"])).stderr).toContain("store-unconfirmed");
});

test("a run that is only in files says why the shared store is not used, and is not called a copy", async () => {
  const ann = await makeTeam(database).join("ann", { confirms: false });
  ann.write(".holdfast/config.yaml", "cards: off\n");
  const { runId } = await ann.json(["start", "steps"]);
  ann.write(".holdfast/config.yaml", "cards: off\nstore: postgres\nproject: shop\n");
  expect(await ann.json(["status"])).toMatchObject({ runId, storeProblem: expect.stringContaining('"shop"') });
  const said = [(await ann.holdfast(["status"])).stdout, (await ann.holdfast(["next"])).stderr];
  expect(said.map((text) => text.replace(/\s+/g, " "))).toEqual([
    expect.stringMatching(/This is from the files here: .*"shop"/),
    expect.stringMatching(/This is from the files here: .*"shop"/),
  ]);
  // Nothing of it is about runs.
  expect(expectDone(await ann.holdfast(["list"])).stderr).toBe("");
});

test("a project can name no database, and a mistake in its settings sends no run anywhere", async () => {
  const ann = await makeTeam(database).join("ann");
  for (const settings of [
    `store: postgres\nproject: shop\ndatabase: ${database.url}\n`,
    "store: postgres\n",
    "store: mysql\nproject: shop\n",
    'store: postgres\nproject: "a\\u0007b"\n',
    "store: postgres\nproject: '  '\n",
    `store: postgres\nproject: ${"x".repeat(201)}\n`,
    "store: postgres\nproject: [a\n",
  ]) {
    ann.write(".holdfast/config.yaml", settings);
    const refused = await ann.holdfast(["start", "steps"]);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("settings-broken")]);
  }
  await nothingStored();
});

test.each(['it\'s "mine"; DROP TABLE x --', "団体 проект ‮", "a\\'b%_$1"])(
  "a project can be called %j",
  async (name) => {
    const team = makeTeam(database, `store: postgres\nproject: ${JSON.stringify(name)}\n`);
    const ann = await team.join("ann");
    const { runId } = await ann.json(["start", "steps"]);
    expect(await database.query("SELECT project, run FROM holdfast.runs")).toEqual([{ project: name, run: runId }]);
    expect(await ann.json(["store", "status"])).toMatchObject({ project: name, confirmed: true, runs: { count: 1 } });
  },
);

test("without a database that the user has named, copies can be read, and the next step is named", async () => {
  const ann = await makeTeam(database).join("ann");
  const { runId } = await ann.json(["start", "steps"]);
  writeFileSync(join(ann.home, ".config/holdfast/config.yaml"), "{}\n");
  const refused = await ann.holdfast(["advance", "--output", "x"]);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("HOLDFAST_DATABASE_URL")]);
  expect(await ann.json(["status"])).toMatchObject({ runId, step: "first", asOf: expect.any(String) });
  expect((await ann.holdfast(["status"])).stdout).toContain("as of");
  expect((await ann.holdfast(["runs"])).stdout).toContain(runId);
  expectDone(await ann.holdfast(["advance", "--output", "x"], { HOLDFAST_DATABASE_URL: database.url }));
});

test("while the database is away an advance is refused, and status and handoff come from the copy", async () => {
  const proxy = await startProxy(Number(new URL(database.url).port));
  try {
    const ann = await makeTeam({ url: at(database.url, { port: String(proxy.port) }) }).join("ann");
    const { runId } = await ann.json(["start", "steps"]);
    proxy.refuse(true);
    proxy.cut();
    const before = ann.journal(runId);
    const refused = await ann.holdfast(["advance", "--output", "x"]);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("store-unreachable")]);
    expect(await ann.json(["status"])).toMatchObject({ step: "first", asOf: expect.any(String) });
    expect(expectDone(await ann.holdfast(["handoff"])).stdout).toContain("Do the first");
    expect((await ann.holdfast(["runs"])).stdout).toContain("these are the copies here as of");
    const status = await ann.holdfast(["store", "status", "--json"]);
    expect([status.code, JSON.parse(status.stdout)]).toMatchObject([1, { reachable: false, copies: { here: 1 } }]);
    expect(ann.journal(runId)).toBe(before);
    proxy.refuse(false);
    expect(await ann.json(["advance", "--output", "x"])).toMatchObject({ step: "second" });
    expect(await ann.json(["status"])).not.toHaveProperty("asOf");
  } finally {
    await proxy.close();
  }
});

test("a wrong password, missing tables and newer tables get one clear message each", async () => {
  const empty = await makeDatabase(undefined, { isEmpty: true });
  try {
    const team = makeTeam(database);
    const wrong = await team.join("ann", { url: at(database.url, { password: "not-the-Pa55word" }) });
    expect((await wrong.holdfast(["start", "steps"])).stderr).toContain("store-refused");
    const bare = await team.join("bob", { url: empty.url });
    expect((await bare.holdfast(["start", "steps"])).stderr).toContain("holdfast store init");
    expect(expectDone(await bare.holdfast(["store", "init"])).stdout).toContain("created");
    expectDone(await bare.holdfast(["start", "steps"]));
    expect(expectDone(await bare.holdfast(["store", "init"])).stdout).toContain("the tables exist");
    await empty.query("INSERT INTO holdfast.migrations (version, needs) VALUES (99, '9.8.7')");
    const newer = await bare.holdfast(["advance", "--output", "x"]);
    expect(newer.stderr).toContain("9.8.7");
    expect((await bare.holdfast(["store", "init"])).stderr).toContain("9.8.7");
  } finally {
    await empty.drop();
  }
});

test("an address that cannot be understood is not called missing, and the advice is in one message", async () => {
  const ann = await makeTeam(database).join("ann", { url: "postgres://ann:5/Zw31f@db.example.com/shop" });
  for (const words of [["start", "steps"], ["runs"], ["store", "init"]]) {
    const { stdout, stderr } = await ann.holdfast(words);
    expect(`${stdout}${stderr}`.replaceAll(/\s+/g, " ")).toMatch(/the address of your database is not a URL such as/);
  }
  const status = await ann.holdfast(["store", "status"]);
  expect(status.stdout).toContain("its address cannot be understood");
  expect(status.stdout.replaceAll(/\s+/g, " ")).toContain("# as %23, / as %2F, ? as %3F");
  expect(`${status.stdout}${status.stderr}`).not.toMatch(/Zw31f|example/);
});

test("an address that cannot be understood comes before a project that is not confirmed", async () => {
  const ann = await makeTeam(database).join("ann", { url: "postgres://ada:pa#ss@localhost/x", confirms: false });
  const status = await ann.holdfast(["store", "status"]);
  expect(status.stdout).toContain("(not confirmed here)");
  expect(status.stdout).toMatch(/Next +write special characters/);
});

test("a driver that is not installed is named, and the database is not called unreachable", async () => {
  const ann = await makeTeam(database).join("ann");
  const hide = `export const resolve = (name, context, next) => {
    if (name === "pg") throw new Error("not found");
    return next(name, context);
  };`;
  const asModule = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;
  const register = `import { register } from "node:module"; register(${JSON.stringify(asModule(hide))});`;
  const without = { NODE_OPTIONS: `--import=${asModule(register)}` };
  const status = await ann.holdfast(["store", "status"], without);
  expect([status.code, status.stdout]).toEqual([1, expect.stringMatching(/Problem +the package pg/)]);
  expect(status.stdout).toMatch(/Next +install it .*npm install pg/);
  expect(status.stdout).not.toContain("Reachable");
  expect((await ann.holdfast(["start", "steps"], without)).stderr).toContain("store-driver-missing");
});

test("a missing certificate is not called a server that cannot be reached", async () => {
  const ann = await makeTeam(database).join("ann", { url: `${database.url}?sslrootcert=/no/such/ca.pem` });
  const refused = await ann.holdfast(["start", "steps"]);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("/no/such/ca.pem")]);
  expect(refused.stderr).toContain("store-refused");
  expect(JSON.parse((await ann.holdfast(["store", "status", "--json"])).stdout)).toMatchObject({
    reachable: null,
    problem: { code: "store-refused", message: expect.stringContaining("sslrootcert") },
  });
});

test("git processes get neither the address of the database nor its password", async () => {
  const ann = await makeTeam(database).join("ann", { url: null });
  const [bin, seen] = [join(ann.home, "bin"), join(ann.home, "seen")];
  const git = execFileSync("/bin/sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  mkdirSync(bin);
  writeFileSync(join(bin, "git"), `#!/bin/sh\necho "git $*" >> ${seen}\nenv >> ${seen}\nexec ${git} "$@"\n`, {
    mode: 0o755,
  });
  const env = { PATH: `${bin}:${ann.env.PATH}`, HOLDFAST_DATABASE_URL: database.url, PGPASSWORD: "S3cret-of-pg" };
  const { runId } = await ann.json(["start", "steps"], env);
  await ann.holdfast(["advance", "--output", "one"], env);
  expectDone(await ann.holdfast(["push", runId, "--yes"], env));
  const texts = readFileSync(seen, "utf8");
  expect(texts).toMatch(/^git .* push /m);
  expect(texts).not.toMatch(/S3cret-of-pg|HOLDFAST_DATABASE_URL/);
});

test("the password is in no output and in no file of the project, whatever goes wrong", async () => {
  const planted = plantedPassword;
  const team = makeTeam(database);
  const said: Ended[] = [];
  const call = async (machine: Machine, ...words: string[]) => said.push(await machine.holdfast(words));
  const leaky = `name: leaky\ndescription: Prints its environment\nsteps:
  - { id: one, type: action, instructions: Do it, gate: [{ run: "env; false" }] }\n`;
  const ann = await team.join("ann");
  ann.write(".holdfast/workflows/leaky.yaml", leaky);
  said.push(await ann.person(["trust", "leaky", "--yes"]));
  said.push(await ann.holdfast(["start", "leaky"], { HOLDFAST_DATABASE_URL: database.url }));
  said.push(await ann.holdfast(["advance", "--output", database.url], { HOLDFAST_DATABASE_URL: database.url }));
  for (const words of [["status"], ["runs"], ["store", "status"], ["doctor"], ["log"], ["store", "init"], ["report"]]) {
    await call(ann, ...words);
    await call(ann, ...words, "--json");
  }
  said.push(await ann.person(["store", "migrate", "--to", "files", "--json"]));
  const urls = [
    at(database.url, { username: "nobody" }),
    at(database.url, { port: "1" }),
    at(database.url, { pathname: "/none" }),
    `http://x:${planted}@host/db`,
    `postgres://x:${planted}@[bad/db`,
    `${database.url}?sslmode=verify-full`,
    `postgres://holdfast@127.0.0.1/db?password=${planted}`,
    `${planted}`,
    ...["#", "/", "?"].map((special) => `postgres://x:5${special}${planted}@127.0.0.1:5432/db`),
  ];
  for (const [index, url] of urls.entries()) {
    const other = await team.join(`m${index}`, { url });
    for (const words of [
      ["start", "steps"],
      ["store", "status"],
      ["store", "init"],
      ["runs", "--json"],
    ]) {
      await call(other, ...words);
    }
    expect(allTexts(other.clone).filter((text) => text.includes(planted))).toEqual([]);
  }
  expect(said.filter(({ stdout, stderr }) => `${stdout}${stderr}`.includes(planted))).toEqual([]);
  expect(allTexts(ann.clone).filter((text) => text.includes(planted))).toEqual([]);
  expect(readFileSync(join(ann.home, ".config/holdfast/config.yaml"), "utf8")).toContain(planted);
  const lines = await database.query("SELECT line FROM holdfast.commits");
  expect(lines.filter(({ line }) => String(line).includes(planted))).toEqual([]);
});
