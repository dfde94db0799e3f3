import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { serverUser } from "../../scripts/postgres-binaries.ts";
import { makeDatabase, type TestDatabase } from "./database.ts";
import { type Machine, makeTeam } from "./team.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await makeDatabase();
});
afterEach(() => database.drop());

const linesOf = (machine: Machine, run: string) => machine.journal(run).trim().split("\n").length;
const commits = async () => Number((await database.query("SELECT count(*) AS n FROM holdfast.commits"))[0]?.n);

test("a server that only reads, as a standby does, is read, refuses a change with the reason, and takes it once it can", async () => {
  const ann = await makeTeam(database).join("ann");
  const { runId } = await ann.json(["start", "steps"]);
  const name = new URL(database.url).pathname.slice(1);
  await database.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  expect(await ann.json(["status"])).toMatchObject({ runId });
  const refused = await ann.holdfast(["advance", "--output", "one"]);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toMatch(/refuses: .*read-only transaction; nothing was changed \(store-refused\)/);
  expect(refused.stderr).toContain("name the primary server");
  const before = await commits();
  await database.query(`BEGIN READ WRITE; ALTER DATABASE ${name} RESET default_transaction_read_only; COMMIT`);
  expect(await ann.json(["advance", "--output", "one"])).toMatchObject({ runId, step: "second" });
  expect([await commits(), linesOf(ann, runId)]).toEqual([before + 1, before + 1]);
});

/** A disk for tables that can be filled; null where nothing may be mounted. */
function smallDisk(): { readonly folder: string; unmount(): void } | null {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-disk-"));
  const { uid, gid } = serverUser();
  const owner = uid === undefined ? "" : `,uid=${uid},gid=${gid}`;
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=32m,mode=700${owner}`, "tmpfs", folder]).status === 0;
  if (!mounted) rmSync(folder, { recursive: true });
  return mounted ? { folder, unmount: () => void spawnSync("umount", [folder]) } : null;
}

function fill(file: string): void {
  try {
    for (;;) appendFileSync(file, Buffer.alloc(64 * 1024));
  } catch {
    // It is full.
  }
}

test("a change that finds the disk of the server full is refused, and is stored once when there is room again", async (context) => {
  const disk = smallDisk();
  if (disk === null) return context.skip();
  const space = `space_${randomBytes(4).toString("hex")}`;
  try {
    mkdirSync(join(disk.folder, "room"));
    chmodSync(disk.folder, 0o755);
    chmodSync(join(disk.folder, "room"), 0o700);
    const { uid, gid } = serverUser();
    if (uid !== undefined) spawnSync("chown", [`${uid}:${gid}`, join(disk.folder, "room")]);
    const made = database.query(`CREATE TABLESPACE ${space} LOCATION '${join(disk.folder, "room")}'`);
    // A server on another machine does not have the folder.
    if ((await made.catch(() => null)) === null) return context.skip();
    await database.query(`ALTER TABLE holdfast.commits SET TABLESPACE ${space}`);
    const ann = await makeTeam(database).join("ann");
    const { runId } = await ann.json(["start", "steps"]);
    const before = await commits();
    const output = randomBytes(60_000).toString("hex");
    ann.write("output.txt", output);
    fill(join(disk.folder, "filled"));
    const advance = ["advance", "--output-file", "output.txt"];
    const refused = await ann.holdfast(advance);
    expect(refused.stderr).toMatch(/refuses: .*No space left on device; nothing was changed \(store-refused\)/);
    expect(refused.stderr).toContain("free some space");
    expect([refused.code, await commits(), linesOf(ann, runId)]).toEqual([3, before, before]);
    rmSync(join(disk.folder, "filled"));
    expect(await ann.json(advance)).toMatchObject({ step: "second" });
    expect([await commits(), linesOf(ann, runId)]).toEqual([before + 1, before + 1]);
  } finally {
    await database.query(`ALTER TABLE holdfast.commits SET TABLESPACE pg_default`);
    await database.query(`DROP TABLESPACE IF EXISTS ${space}`);
    disk.unmount();
  }
});
