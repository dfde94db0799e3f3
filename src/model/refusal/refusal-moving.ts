import { quote } from "../quote.ts";

/** Where one side of a run stands. */
export interface HeadFacts {
  readonly version: number;
  readonly at: string;
  readonly step: string;
}

/** What refusals tell that only come when runs move between machines, or workflows from other programs. */
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
    /** How the run as it is here takes its place, where that can be. */
    readonly choose?: string;
  };
  "file-exists": { readonly file: string };
  "faber-invalid": { readonly file: string; readonly problems: readonly string[] };
}

type Wording<F> = { readonly when: string; word(facts: F): readonly [message: string, next: string] };

export const movingRefusals: { readonly [C in keyof MovingFacts]: Wording<MovingFacts[C]> } = {
  "remote-unknown": {
    when: "There is no git remote of that name, or none that runs could go to.",
    word: (d) => [
      d.remote === null ? "no git remote says where runs go" : `there is no git remote ${quote(d.remote)}`,
      d.known.length === 0
        ? "add one with git remote add, or carry the run in a file: holdfast export"
        : `say which with --remote: ${d.known.join(", ")}`,
    ],
  },
  "remote-run-unknown": {
    when: "The remote has no run of that id.",
    word: (d) => [`${d.remote} has no run ${d.run}`, "push it from the machine that has it: holdfast push"],
  },
  "runs-diverged": {
    when: "A run has gone on here and elsewhere; neither side was changed.",
    word: (d) => [
      `the run ${d.run} has gone on both here and in ${d.from}; nothing was changed\n${[
        `  here       ${headText(d.here)}`,
        `  elsewhere  ${headText(d.there)}`,
      ].join("\n")}`,
      `choose one with ${d.choose}; the other is kept as a copy`,
    ],
  },
  "copy-damaged": {
    when: "A run from elsewhere is not what was written there. Nothing of it was taken.",
    word: (d) => [
      `${d.source} is damaged${d.line === null ? "" : ` in line ${d.line}`}: ${d.problem}`,
      d.choose === undefined
        ? "bring it again from the machine that has it; nothing was changed here"
        : `put the run as it is here in its place with ${d.choose}; nothing was changed`,
    ],
  },
  "file-exists": {
    when: "A file would be written over that is there already.",
    word: (d) => [`${d.file} is there already`, "choose another name with -o, or remove it first"],
  },
  "faber-invalid": {
    when: "A file is no FABER workflow that could be understood.",
    word: (d) => [
      `${d.file} cannot be taken as a FABER workflow:\n  ${d.problems.join("\n  ")}`,
      "mend the file, and import it again",
    ],
  },
};

function headText({ version, at, step }: HeadFacts): string {
  return `version ${version}, ${at}, at ${step}`;
}
