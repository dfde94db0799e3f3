import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sizeLimits } from "../../src/platform/size-limits.ts";
import { expectDone, type Machine, makeTeam } from "./team.ts";

// Nothing listens there: whatever was confirmed by accident would ask.
const url = "postgres://ann:secret@127.0.0.1:1/shop";
const fileOf = ({ home }: Machine) => join(home, ".config/holdfast/shared-projects.jsonl");
const confirm = ["store", "confirm", "--yes"];

test("whatever stands where confirmed projects are remembered, nothing is confirmed by it and nobody waits", async () => {
  const ann = await makeTeam({ url }).join("ann");
  const file = fileOf(ann);
  const entry = readFileSync(file, "utf8").trim();
  const cases: Readonly<Record<string, readonly [make: () => void, said: string]>> = {
    "a pipe": [() => execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', file]), "it is a pipe or a device"],
    "a folder": [() => mkdirSync(file), "it is a folder"],
    "too large": [() => writeFileSync(file, `${entry}\n${" ".repeat(sizeLimits.trust)}`), "it is too large"],
    binary: [() => writeFileSync(file, Buffer.from([0, 255, 10, 0, 200, 10])), "store-unconfirmed"],
    "of a newer format": [() => writeFileSync(file, entry.replace('"format":1', '"format":2')), "store-unconfirmed"],
    "of another folder": [() => writeFileSync(file, entry.replace(ann.clone, "/elsewhere")), "store-unconfirmed"],
  };
  for (const [name, [make, said]] of Object.entries(cases)) {
    rmSync(file, { recursive: true, force: true });
    make();
    const call = await ann.holdfast(["start", "steps"]);
    expect([name, call.code === 0, call.stderr.includes(said)], call.stderr).toEqual([name, false, true]);
  }
});

test("a project is confirmed also behind a line that somebody has left without its end, and through a link", async () => {
  const ann = await makeTeam({ url }).join("ann");
  const file = fileOf(ann);
  const entry = readFileSync(file, "utf8").trim();
  renameSync(file, `${file}-elsewhere`);
  symlinkSync(`${file}-elsewhere`, file);
  writeFileSync(file, entry.replace(ann.clone, "/elsewhere"));
  chmodSync(file, 0o600);
  expectDone(await ann.person(confirm));
  const lines = readFileSync(`${file}-elsewhere`, "utf8").split("\n").filter(Boolean);
  expect(lines.map((line) => JSON.parse(line).folder)).toEqual(["/elsewhere", ann.clone]);
  expect((await ann.holdfast(["start", "steps"])).stderr).toContain("store-unreachable");
});
