import * as z from "zod";
import { defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import { chooseRunOrLast } from "../runs/choose-run.ts";
import { readLocalCopy } from "./local-copy.ts";
import { writeRunFile } from "./run-file.ts";
import { writeExport } from "./write-export.ts";

export interface Exported {
  readonly runId: string;
  readonly commits: number;
  readonly bytes: number;
  /** Where it was written; null if it is returned as `text`. */
  readonly file: string | null;
  readonly text: string | null;
}

export const exportRun = defineOperation({
  summary: "Export a run to one file that another machine can import.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default the only live one here, or the one that ended last."),
    file: z.string().optional().describe("Where to write it; by default it is returned."),
  }),
  async run(deps, { run: named, file }): Promise<Outcome<Exported>> {
    const found = await chooseRunOrLast(deps, named);
    if (!found.ok) return found;
    const { runId } = found.value.run;
    const copy = await readLocalCopy(deps, runId);
    if (copy === null) return no({ code: "run-unknown", run: runId });
    const text = writeRunFile(copy);
    const facts = { runId, commits: copy.commits.length, bytes: Buffer.byteLength(text) };
    if (file === undefined) return yes({ ...facts, file: null, text });
    if (!(await writeExport(file, runId, text))) return no({ code: "file-exists", file });
    return yes({ ...facts, file, text: null });
  },
});
