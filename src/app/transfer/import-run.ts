import * as z from "zod";
import { defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import { refuseLinks } from "../../platform/links.ts";
import { refuseAgent } from "../workflows/person.ts";
import { type Adopted, adoptCopy } from "./adopt-copy.ts";
import { checkCopy } from "./check-copy.ts";
import { headOf } from "./run-copy.ts";
import { readRunFile } from "./run-file.ts";

export interface Imported extends Adopted {
  readonly runId: string;
  readonly step: string;
}

export const importRun = defineOperation({
  summary: "Import a run from a file that holdfast export wrote. Every line is checked first.",
  input: z.strictObject({
    text: z.string().describe("The file's content."),
    source: z.string().min(1).describe("The file's name."),
    keep: z.literal("file").optional().describe("Use the file if the run here has diverged."),
  }),
  async run(deps, { text, source, keep }): Promise<Outcome<Imported>> {
    refuseLinks(deps.roots.stateRoot);
    const agent = keep === undefined ? null : refuseAgent(deps, "choosing between two sides of a run");
    if (agent !== null) return agent;
    const read = readRunFile(source, text);
    if (!read.ok) return read;
    const copy = await checkCopy(read.value.received);
    if (!copy.ok) return copy;
    if (read.value.ending !== null) return read.value.ending;
    const adoption = { from: "a file", overLocal: keep === "file", choose: "--keep file, or leave it as it is here" };
    const adopted = await adoptCopy(deps, copy.value, adoption);
    if (!adopted.ok) return adopted;
    return yes({ runId: copy.value.run.runId, step: headOf(copy.value).step, ...adopted.value });
  },
});
