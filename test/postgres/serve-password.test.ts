import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { ended } from "../cli/program.ts";
import { askServer, type Browser, browserFrom } from "../serve/serving.ts";
import { at, makeDatabase, type TestDatabase } from "./database.ts";
import { type FaultyProxy, startProxy } from "./proxy.ts";
import { allTexts, expectDone, type Machine, makeTeam } from "./team.ts";

let database: TestDatabase;
let proxy: FaultyProxy;
beforeEach(async () => {
  database = await makeDatabase();
  proxy = await startProxy(Number(new URL(database.url).port));
});
afterEach(async () => {
  await proxy.close();
  await database.drop();
});

/** With characters that an address has only encoded. */
const password = "planted/Pa55:word@5d2e";
const hasPassword = (text: string) => text.includes(password) || text.includes(encodeURIComponent(password));

/** A user of the database who can be refused while the others work. */
async function plantUser() {
  const name = `planted_${randomUUID().replaceAll("-", "")}`;
  await database.query(`CREATE ROLE ${name} SUPERUSER LOGIN PASSWORD '${password}'`);
  return {
    url: at(database.url, { port: String(proxy.port), username: name, password }),
    refuse: () => database.query(`ALTER ROLE ${name} PASSWORD 'another'`),
    drop: () => database.query(`DROP ROLE ${name}`),
  };
}

/** The program itself, with all that it says. */
async function beginServe(machine: Machine, env: Readonly<Record<string, string>>) {
  const child = machine.begin(["serve", "--port", "0", "--json"], env);
  onTestFinished(() => void child.kill("SIGKILL"));
  const end = ended(child);
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const { port, link } = JSON.parse(line) as { port: number; link: string };
  const browser = browserFrom(await askServer(port, new URL(link).pathname));
  const stop = async () => {
    child.kill("SIGTERM");
    return end;
  };
  return { port, browser, stop };
}

/** All that the page is told, as text. */
async function listen(port: number, headers: Browser): Promise<() => string> {
  let told = "";
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const answer = await fetch(`http://127.0.0.1:${port}/api/live`, { headers, signal: leaving.signal });
  const reading = async () => {
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) told += chunk;
  };
  reading().catch(() => {});
  return () => told;
}

interface Described {
  readonly paths: Readonly<
    Record<string, { readonly get?: { readonly parameters: readonly { readonly name: string }[] } }>
  >;
}

/** Every address of the API that can be read, with the parameters that lead to an answer. */
function addressesOf(
  { paths }: Described,
  given: Readonly<Record<string, string>> & { readonly project: string },
): string[] {
  return Object.entries(paths).flatMap(([path, { get }]) => {
    // The stream never ends.
    if (get === undefined || path === "/api/live") return [];
    const query = get.parameters.flatMap(({ name }) =>
      name !== "project" && given[name] !== undefined ? [`${name}=${encodeURIComponent(given[name])}`] : [],
    );
    return [`${path.replace("{project}", given.project)}?${query.join("&")}`];
  });
}

test("the server says the password of the database nowhere, whether that answers, refuses it or is away", async () => {
  const team = makeTeam(database);
  const user = await plantUser();
  const [ann, bob] = [await team.join("ann"), await team.join("bob", { url: null, confirms: false })];
  const env = { HOLDFAST_DATABASE_URL: user.url };
  const secret = join(bob.home, ".config/holdfast/secret");
  expectDone(await bob.holdfast(["store", "confirm", "--yes", "--as", "bob", "--secret-file", secret], env));
  const { runId: run } = await bob.json(["start", "steps", "Bob's own"], env);
  await ann.json(["start", "steps", "Ann's own"]);

  const { port, browser, stop } = await beginServe(bob, env);
  const ask = (path: string) => askServer(port, path, { headers: browser });
  const told = await listen(port, browser);
  const [{ id: project }] = (await ask("/api/projects")).json;
  const [, token = ""] = /"token":"([^"]+)"/.exec(bob.journal(run)) ?? [];
  const given = { project, run, token, workflow: "steps", event: "1", from: "1", to: "2" };
  const addresses = addressesOf((await ask("/api/openapi.json")).json, given);
  const texts: string[] = [];
  const askAll = async () => {
    const answers = await Promise.all(addresses.map(ask));
    for (const { text, headers } of answers) texts.push(text, JSON.stringify(headers));
    return answers.flatMap(({ status }, index) => (status === 200 ? [] : [`${status} ${addresses[index]}`]));
  };
  const problem = async () => (await ask("/api/runs")).json.teams[0].problem;
  const resets = () => told().split('{"type":"reset"}').length - 1;
  const soon = { timeout: 30_000 };

  await expect.poll(resets, soon).toBeGreaterThan(0);
  expect(await problem()).toBeUndefined();
  expect(addresses.length).toBeGreaterThan(20);
  expect(await askAll()).toEqual([]);

  await user.refuse();
  proxy.cut();
  await expect.poll(problem, soon).toContain("refuses: password authentication failed");
  await askAll();

  proxy.refuse(true);
  await expect.poll(problem, soon).toContain("cannot be reached");
  await askAll();

  const { stdout, stderr } = await stop();
  await user.drop();
  texts.push(stdout, stderr, told(), ...allTexts(bob.clone), ...allTexts(bob.home));
  expect(texts.filter(hasPassword)).toEqual([]);
});
