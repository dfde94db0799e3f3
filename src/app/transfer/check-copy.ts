import { isHoldfastError } from "../../errors.ts";
import { type CopiedCommit, checkJournal } from "../../store/journal-copy.ts";
import { parseFrozen } from "../frozen-template.ts";
import { templateFile } from "../frozen-template-file.ts";
import { type No, no, type Outcome, yes } from "../operation.ts";
import { foldRun, type RunCopy, templateHashes } from "./run-copy.ts";

/** What came from elsewhere under the name of a run, before anything of it is believed. */
export interface Parcel {
  readonly runId: string;
  /** What it is called when something is wrong with it. */
  readonly source: string;
  readonly journal: Uint8Array;
  readonly templates: ReadonlyMap<string, string>;
  /** How many lines stand before the journal where it came from. */
  readonly linesBefore: number;
}

/** Every line, event, hash and template; a newer format is thrown as such. */
export function checkCopy(parcel: Parcel): Outcome<RunCopy> {
  const commits = readCommits(parcel);
  if (!commits.ok) return commits;
  const run = foldRun(commits.value);
  if (run === null) return damaged(parcel, "no run begins in it");
  if (run.runId !== parcel.runId) return damaged(parcel, `its journal is that of the run ${run.runId}`);
  const templates = new Map<string, string>();
  for (const [name, hash] of templateHashes(commits.value)) {
    const text = parcel.templates.get(name);
    if (text === undefined) continue;
    const frozen = parseFrozen(text, hash);
    if (typeof frozen === "string") return damaged(parcel, `${name}: ${frozen}`);
    templates.set(name, text);
  }
  const needed = templateFile(run.templateHash);
  if (!templates.has(needed)) return damaged(parcel, `its template ${needed} is missing`);
  return yes({ run, commits: commits.value, templates });
}

function readCommits(parcel: Parcel): Outcome<readonly CopiedCommit[]> {
  try {
    return yes(checkJournal(parcel.runId, parcel.journal));
  } catch (error) {
    if (!isHoldfastError(error, "journal-corrupt")) throw error;
    const { line, problem } = error.data;
    return no({ code: "copy-damaged", source: parcel.source, line: parcel.linesBefore + line, problem });
  }
}

function damaged({ source }: Parcel, problem: string): No {
  return no({ code: "copy-damaged", source, line: null, problem });
}
