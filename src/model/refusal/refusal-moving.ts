import { quote } from "../quote.ts";
import type { Wording } from "./wording.ts";

/** The latest version of one copy of a run. */
export interface HeadFacts {
  readonly version: number;
  readonly at: string;
  readonly step: string;
}

/** The facts of refusals about moving runs between machines and importing workflows of other programs. */
export interface MovingFacts {
  "remote-unknown": { readonly remote: string | null; readonly known: readonly string[] };
  "remote-run-unknown": { readonly run: string; readonly remote: string };
  "runs-diverged": {
    readonly run: string;
    readonly from: string;
    readonly here: HeadFacts;
    readonly there: HeadFacts;
    readonly choose: string;
  };
  "copy-damaged": {
    readonly source: string;
    readonly line: number | null;
    readonly problem: string;
    /** The option that replaces the damaged copy with the local run, where that is possible. */
    readonly choose?: string;
  };
  "file-exists": { readonly file: string; readonly fixedName?: true };
  "faber-invalid": { readonly file: string; readonly problems: readonly string[] };
}

export const movingRefusals: { readonly [C in keyof MovingFacts]: Wording<MovingFacts[C]> } = {
  "remote-unknown": {
    when: "There is no git remote with that name, or none to send runs to.",
    word: (d) => [
      d.remote === null ? "cannot tell which git remote to use" : `there is no git remote ${quote(d.remote)}`,
      d.known.length === 0
        ? "add one with `git remote add`, or move the run in a file with `holdfast export`"
        : `name one with --remote: ${d.known.join(", ")}`,
    ],
  },
  "remote-run-unknown": {
    when: "The remote has no run with that id.",
    word: (d) => [
      `${d.remote} has no run ${d.run}`,
      `on the machine that has the run, run: holdfast push --run ${d.run}`,
    ],
  },
  "runs-diverged": {
    when: "The run has moved on both here and in another copy. Neither copy was changed.",
    word: (d) => [
      `the run ${d.run} has moved on both here and in ${d.from}; nothing was changed\n${[
        `  here       ${headText(d.here)}`,
        `  elsewhere  ${headText(d.there)}`,
      ].join("\n")}`,
      `choose one with ${d.choose}; the other is kept as a copy`,
    ],
  },
  "copy-damaged": {
    when: "A run that came from elsewhere is damaged. Nothing of it was used.",
    word: (d) => [
      `${d.source} is damaged${d.line === null ? "" : ` in line ${d.line}`}: ${d.problem}`,
      d.choose === undefined
        ? "nothing was changed; fetch it again from the machine that has the run"
        : `nothing was changed; replace it with the local run by adding ${d.choose}`,
    ],
  },
  "file-exists": {
    when: "The file to be written already exists.",
    word: (d) => [
      `${d.file} already exists`,
      d.fixedName ? "change that file, or remove it first" : "choose another name with -o, or remove the file first",
    ],
  },
  "faber-invalid": {
    when: "The file is not a FABER workflow that can be imported.",
    word: (d) => [
      `${d.file} cannot be imported as a FABER workflow:\n  ${d.problems.join("\n  ")}`,
      "fix the file, then import it again",
    ],
  },
};

function headText({ version, at, step }: HeadFacts): string {
  return `version ${version}, ${at}, at ${step}`;
}
