import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { operations } from "../../src/app/operations.ts";
import { markCopy, readCopyMark, unmarkCopy } from "../../src/store/copy-mark.ts";
import { copyJournal, plainJournal } from "../../src/store/journal-copy.ts";
import { isCopy } from "../../src/store/journal-file.ts";
import { cutJournal, inspectJournal } from "../../src/store/repair.ts";
import { replaceJournal } from "../../src/store/replace-journal.ts";
import { advance, linesOf, makeFolder, noted, type Project, startProject, writeLines } from "./project.ts";

let project: Project;
let remove: () => void;
let runs: string;

beforeEach(async () => {
  const made = makeFolder();
  remove = made.remove;
  project = await startProject(made.folder);
  runs = project.at("../");
});
afterEach(() => remove());

const refused = { code: "run-is-copy", next: expect.stringContaining("holdfast store migrate --to files") };

describe("the journal of a run in a shared store", () => {
  it("is read, and never advanced, also by a process that has it open", async () => {
    const open = project.open();
    await advance(open, project.runId);
    markCopy(runs, project.runId, { project: "team" });
    const before = readFileSync(project.journal, "utf8");
    for (const deps of [open, project.open()]) {
      await expect(advance(deps, project.runId)).rejects.toMatchObject(refused);
      expect(await operations.status.run(deps, {})).toMatchObject({ ok: true });
    }
    expect(readFileSync(project.journal, "utf8")).toBe(before);
    expect(readCopyMark(runs, project.runId)).toEqual({ project: "team", isHere: false, isOwn: false });
  });

  it("is neither repaired nor replaced, and removed only after a confirmation", async () => {
    const copy = copyJournal(runs, project.runId);
    await advance(project.open(), project.runId, 2);
    writeLines(project.journal, linesOf(project.journal).with(1, "broken"));
    markCopy(runs, project.runId, { project: "team" });
    const before = readFileSync(project.journal, "utf8");
    const damage = inspectJournal(runs, project.runId)?.damage;
    if (copy === null || damage == null) throw new Error("there is nothing to repair");
    const bytes = plainJournal(copy.commits);
    expect(() => cutJournal(runs, project.runId, damage, { stamp: "1", record: () => [noted(9, "x")] })).toThrow(
      expect.objectContaining(refused),
    );
    expect(() => replaceJournal(runs, project.runId, { copy, bytes, keepAs: null })).toThrow(
      expect.objectContaining(refused),
    );
    expect(readFileSync(project.journal, "utf8")).toBe(before);
    const removing = () => operations.rm.run(project.open(), { run: project.runId });
    expect(await removing()).toMatchObject({ ok: false, refusal: { code: "confirmation-needed" } });
    expect(readFileSync(project.journal, "utf8")).toBe(before);
    expect(await operations.rm.run(project.open(), { run: project.runId, yes: true })).toMatchObject({ ok: true });
    expect(existsSync(project.journal)).toBe(false);
  });

  it("is left alone when old runs are removed", async () => {
    await operations.abort.run(project.open(), { reason: "enough" });
    markCopy(runs, project.runId, { project: "team" });
    const collect = () => operations.gc.run(project.open(), { days: 0, yes: true });
    expect(await collect()).toMatchObject({ ok: true, value: { removed: [] } });
    unmarkCopy(runs, project.runId);
    expect(await collect()).toMatchObject({ ok: true, value: { removed: [project.runId] } });
    expect(existsSync(project.journal)).toBe(false);
  });

  it("is an ordinary one again without its mark", async () => {
    markCopy(runs, project.runId, { project: "team" });
    unmarkCopy(runs, project.runId);
    unmarkCopy(runs, project.runId);
    await advance(project.open(), project.runId);
    expect(linesOf(project.journal)).toHaveLength(2);
  });
});

it("a mark that came with the repository is no mark, and until it is taken out of git the run is not used", async () => {
  const git = (...words: string[]) => execFileSync("git", words, { cwd: project.folder });
  markCopy(runs, project.runId, { project: "team" });
  git("init", "--quiet");
  git("add", "--force", project.at("copy.json"));
  expect(isCopy(runs, project.runId)).toBe(false);
  await expect(advance(project.open(), project.runId)).rejects.toMatchObject({ code: "run-tracked" });
  git("rm", "--quiet", "--cached", project.at("copy.json"));
  unmarkCopy(runs, project.runId);
  await advance(project.open(), project.runId);
});
