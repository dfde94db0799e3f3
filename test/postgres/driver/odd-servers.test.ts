import { expect, test } from "vitest";
import { readAddress } from "../../../src/store/postgres/address.ts";
import { storeFailure } from "../../../src/store/postgres/failures.ts";
import { type CopiedCommit, readAll } from "../../../src/store/store.ts";
import { at } from "../database.ts";
import { noted } from "../events.ts";
import { startPooler } from "../pooler.ts";
import { useStores } from "./stores.ts";

const run = "first-20260101_000000-aaaa";

const { closeAll, database, open } = useStores();

const failed = (fields: object) => Object.assign(new Error("what happened"), fields);
const codeOf = (error: Error) => storeFailure(readAddress(database().url), error, "no").code;

test("an error of the network is not taken for one of the server", () => {
  for (const code of ["EPIPE", "EPERM", "ENXIO"]) expect(codeOf(failed({ code })), code).toBe("store-unreachable");
  const cut = new Error("Client network socket disconnected before secure TLS connection was established");
  expect(codeOf(cut)).toBe("store-unreachable");
  for (const message of ["self-signed certificate", "The server does not support SSL connections"])
    expect(codeOf(new Error(message)), message).toBe("store-refused");
});

test("two that bring the same templates in another order both store them", async () => {
  const templates = Array.from({ length: 200 }, (_, n) => ({ hash: `sha256:${n}`, text: "x".repeat(2_000) }));
  const names = Array.from({ length: 8 }, (_, n) => `run${n}-20260101_000000-aaaa`);
  const start = (name: string, n: number) =>
    open().append(name, 0, [noted(1, "one")], undefined, {
      templates: n % 2 === 0 ? templates : templates.toReversed(),
    });
  await Promise.all(names.map(start));
  expect(await open().list()).toEqual(names);
});

test("a commit whose transaction the server has rolled back is not acknowledged", async () => {
  const store = open({ sendJobs: async (execute) => void (await execute("SELECT 1/0", []).catch(() => {})) });
  const append = store.append(run, 0, [noted(1, "one")], undefined, { jobs: [{ visit: 1 }] });
  await expect(append).rejects.toThrow("nothing was stored");
  expect(await open().list()).toEqual([]);
});

test("runs are imported through a pooler that shares connections", async () => {
  const from = open({ project: "from" });
  for (let n = 0; n < 3; n++) await from.append(run, n, [noted(n + 1, `text ${n}`)]);
  const commits: CopiedCommit[] = [];
  for await (const commit of from.readLines(run)) commits.push(commit);
  const pooler = await startPooler(database().url);
  try {
    const url = at(database().url, { port: String(pooler.port) });
    const pooled = [open({ url, project: "to" }), open({ url, project: "to" })];
    const names = Array.from({ length: 12 }, (_, n) => `run${n}-20260101_000000-aaaa`);
    for (const [n, name] of names.entries()) {
      await pooled[n % 2]?.list();
      await pooled[(n + 1) % 2]?.importLines(name, null, commits);
    }
    expect(pooler.switches()).toBeGreaterThan(5);
    for (const name of names) expect(await readAll(open({ project: "to" }).read(name))).toHaveLength(3);
  } finally {
    await closeAll();
    await pooler.close();
  }
});
