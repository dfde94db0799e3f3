import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../scripts/postgres-server.ts";
import { migratePostgres } from "../../src/store/postgres/postgres-store.ts";
import { type Machine, makeTeam } from "../postgres/team.ts";
import { findFaults, type Opened, openLink } from "./support/page.ts";
import { type Served, serve } from "./support/server.ts";

let database: PostgresServer;
let ann: Machine;
let served: Served;
let opened: Opened;

beforeAll(async () => {
  database = await startPostgres({ durable: false });
  await migratePostgres({ url: database.url });
  const team = makeTeam(database);
  ann = await team.join("ann");
  const bob = await team.join("bob");
  const { runId } = await ann.json(["start", "steps", "Ann's first"]);
  await ann.json(["abort", "--run", runId, "--reason", "enough"]);
  await bob.json(["start", "steps", "Bob's own"]);
  served = await serve({ ...bob, root: bob.clone });
  opened = await openLink(served, { width: 1440, height: 900 });
});
afterAll(async () => {
  await opened.context.close();
  await served.kill();
  await database.stop();
});

it("a run that has no copy here is marked, and is opened like any other", async () => {
  const { page } = opened;
  const card = page.locator("a.card", { hasText: "Ann's first" });
  // It has ended: the inbox fetches those in which something may wait for a person.
  await card.filter({ hasText: "not here yet" }).waitFor();
  await card.click();
  await page.getByRole("heading", { name: "Ann's first" }).waitFor();
  await page.goto(`${served.origin}/runs`);
  await card.waitFor();
  await expect.poll(() => card.textContent()).not.toContain("not here yet");
});

it("a run that a colleague starts elsewhere appears without a reload", async () => {
  const { page } = opened;
  await page.evaluate("window.isSamePage = true");
  await ann.json(["start", "steps", "Ann's next"]);
  await page.locator("a.card", { hasText: "Ann's next" }).waitFor();
  expect(await page.getByText("Bob's own").count()).toBe(1);
  expect(await page.evaluate("window.isSamePage")).toBe(true);
});

it("says since when it shows copies only, until the database is back", async () => {
  const { page } = opened;
  await page.goto(`${served.origin}/runs`);
  await page.locator("a.card", { hasText: "Bob's own" }).waitFor();
  const note = page.getByRole("status").filter({ hasText: "these are the copies on this machine, as of" });
  expect(await note.count()).toBe(0);
  await database.halt();
  await note.waitFor();
  expect(await page.locator("a.card", { hasText: "Bob's own" }).count()).toBe(1);
  const faults = await findFaults(opened.context, `${served.origin}/runs`, (other) => other.locator(".note").waitFor());
  expect(faults).toEqual([]);
  await database.start();
  await note.waitFor({ state: "detached" });
  expect(opened.errors).toEqual([]);
});
