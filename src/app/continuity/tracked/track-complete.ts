import * as z from "zod";
import { defineOperation, type Outcome, yes } from "../../../operation/operation.ts";
import { chooseTracked, openTracked } from "./choose-tracked.ts";
import { trackInput } from "./track-input.ts";
import { sourceFile } from "./tracked.ts";

export interface TrackedEnd {
  readonly workflow: string;
  readonly notes: readonly string[];
}

export const trackComplete = defineOperation({
  summary: "End a tracked workflow and remove its state card.",
  input: z.strictObject({ workflow: trackInput.tracked }),
  async run(deps, { workflow }): Promise<Outcome<TrackedEnd>> {
    const opened = await openTracked(deps);
    if (!opened.ok) return opened;
    const chosen = await chooseTracked(opened.value, workflow);
    if (!chosen.ok) return chosen;
    const { cards, ports } = opened.value;
    cards.remove({ workflow: chosen.value.workflow });
    const source = sourceFile(chosen.value);
    const notes = source === null ? [] : [`${source} still describes it; mark it complete there too`];
    return yes({ workflow: chosen.value.workflow, notes: [...ports.troubles, ...notes] });
  },
});
