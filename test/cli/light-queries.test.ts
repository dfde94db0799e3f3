import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/model/event.ts";
import { journalOf } from "../app/transfer/forge.ts";
import { createProject, type Project, program, twoSteps } from "./program.ts";

// `status`, `runs` and the program without a command read journals by their hashes alone, without the schemas of events.

interface Forged {
  readonly project: Project;
  readonly run: string;
  /** Puts this in the place of the journal, with all hashes right. The snapshot says that it belongs there, or is removed. */
  write(commits: readonly (readonly object[])[], snapshot?: "none"): void;
  readonly commits: readonly (readonly Readonly<Record<string, unknown>>[])[];
}

async function project(): Promise<Forged> {
  const project = createProject();
  project.write(".holdfast/workflows/flow.yaml", twoSteps);
  const run = (await project.json(["start", "flow"])).value.runId;
  await project.holdfast(["advance", "--output", "a plan"]);
  const file = join(project.runFolder(), "journal.jsonl");
  const beside = join(project.runFolder(), "snapshot.json");
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return {
    project,
    run,
    write(commits, snapshot) {
      const journal = journalOf(commits as readonly (readonly RunEvent[])[]);
      writeFileSync(file, journal);
      // It knows the journal that stood there before.
      if (snapshot === "none") rmSync(beside);
      else writeFileSync(beside, snapshotOf(readFileSync(beside, "utf8"), journal));
    },
    commits: lines.map((line) => JSON.parse(line).events),
  };
}

/** A snapshot that names the last commit of a journal. */
function snapshotOf(text: string, journal: string): string {
  const { version, hash: head } = JSON.parse(journal.trimEnd().split("\n").at(-1) ?? "");
  const { hash: _hash, ...snapshot } = JSON.parse(text);
  const body = JSON.stringify({ ...snapshot, version, head }).slice(0, -1);
  return `${body},"hash":"${hash("sha256", body)}"}`;
}

const odd = [null, 7, -1, "", "\u001b[31m", [], [null], {}, { length: 1e9 }, true];

describe("an event that no schema allows, under hashes that are right", () => {
  it.each(["runs", "status", "status --json", "status --at 2", ""])(
    "is shown or refused by %j, and is never an error of the program",
    async (call) => {
      const { project: here, commits, write } = await project();
      const codes = new Set<number | null>();
      for (const [index, events] of commits.entries()) {
        for (const [at, event] of events.entries()) {
          for (const [turn, key] of Object.keys(event).entries()) {
            const changed = { ...event, [key]: odd[(index + at + turn) % odd.length] };
            write(commits.with(index, events.with(at, changed)));
            const { code, stdout, stderr } = await here.holdfast(call.split(" ").filter(Boolean));
            expect.soft(`${stdout}${stderr}`).not.toContain("unexpected");
            expect.soft(`${stdout}${stderr}`).not.toContain("\u001b[31m");
            codes.add(code);
          }
        }
      }
      expect(codes.has(0)).toBe(true);
    },
  );

  it("is named where it makes the run impossible to show", async () => {
    const { project: here, run, commits, write } = await project();
    const [first = [], ...rest] = commits;
    write([
      first.map((event) => (event.type === "run-started" ? { ...event, variables: null, workflow: null } : event)),
      ...rest,
    ]);
    const { code, stderr } = await here.holdfast(["status"]);
    expect(code).toBe(3);
    expect(stderr).toContain(`the journal of ${run} is damaged in line 1`);
  });

  it("is refused in a long journal without a snapshot, which would hide it from then on", async () => {
    const { project: here, run, commits, write } = await project();
    const last = commits.flat().at(-1);
    const fact = (n: number) => ({ seq: Number(last?.seq) + n, at: last?.at, type: "summary-set", summary: "more" });
    const more = Array.from({ length: 300 }, (_, n) => [fact(n + 1)]);
    write([...commits, ...more], "none");
    expect((await here.holdfast(["status"])).code).toBe(0);
    write([...commits, ...more.with(99, [{ ...fact(100), extra: 1 } as never])], "none");
    for (const words of [["status"], ["next"]]) {
      const { code, stderr } = await here.holdfast(words);
      expect([code, stderr]).toEqual([3, expect.stringContaining(`the journal of ${run} is damaged in line`)]);
    }
  });
});

it("shows a moment of a long run whose milestones are missing, and makes them again from what was checked", async () => {
  const { project: here, run, commits, write } = await project();
  const last = commits.flat().at(-1);
  const summary = (n: number) => [
    { seq: Number(last?.seq) + n, at: last?.at, type: "summary-set", summary: `version ${n}` },
  ];
  const more = Array.from({ length: 300 }, (_, n) => summary(n + 1));
  write([...commits, ...more], "none");
  const past = join(here.runFolder(), "past");
  rmSync(past, { recursive: true, force: true });
  const at = String(Number(last?.seq) + 290);
  const first = await here.holdfast(["status", "--at", at]);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toContain(`As of event ${at} `);
  expect(readdirSync(past)).toHaveLength(2);
  expect(await here.holdfast(["status", "--at", at])).toEqual(first);
  rmSync(past, { recursive: true });
  write([...commits, ...more.with(99, [{ ...more[99]?.[0], extra: 1 }] as never)]);
  const { code, stderr } = await here.holdfast(["status", "--at", at]);
  expect([code, stderr]).toEqual([3, expect.stringContaining(`the journal of ${run} is damaged in line`)]);
  expect(existsSync(past)).toBe(false);
});

it("does not believe a milestone in which the run has not begun", async () => {
  const { project: here } = await project();
  const snapshot = readFileSync(join(here.runFolder(), "snapshot.json"), "utf8");
  const { hash: _hash, ...state } = JSON.parse(snapshot);
  const at = String(state.run.seq);
  const then = await here.holdfast(["status", "--at", at]);
  const body = JSON.stringify({ ...state, run: { ...state.run, status: "absent" } }).slice(0, -1);
  here.write(`.holdfast/runs/${state.run.runId}/past/${at}.json`, `${body},"hash":"${hash("sha256", body)}"}`);
  expect(await here.holdfast(["status", "--at", at])).toEqual(then);
  expect(then.code).toBe(0);
});

it("needs none of the files with schemas where nothing is wrong", async () => {
  const { project: here } = await project();
  const folder = join(here.home, "program");
  cpSync(dirname(dirname(program)), folder, { recursive: true });
  cpSync("package.json", join(dirname(folder), "package.json"));
  for (const name of ["queries", "app"]) rmSync(join(folder, `bin/holdfast-${name}.js`));
  for (const words of [
    ["status"],
    ["status", "--json"],
    ["status", "--at", "2"],
    ["runs"],
    ["runs", "--limit", "1"],
    [],
  ]) {
    const { status, stderr } = spawnSync(process.execPath, [join(folder, "bin/holdfast.js"), ...words], {
      cwd: here.root,
      env: here.env,
      encoding: "utf8",
    });
    expect([words, status, stderr]).toEqual([words, 0, ""]);
  }
});
