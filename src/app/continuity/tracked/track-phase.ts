import * as z from "zod";
import { defineOperation, type Outcome, yes } from "../../../operation/operation.ts";
import { changeTracked, type TrackedReply } from "./change-tracked.ts";
import { chooseTracked, openTracked } from "./choose-tracked.ts";
import { phaseNumbers, trackInput } from "./track-input.ts";

export const trackPhase = defineOperation({
  summary: "Set the phase of a tracked workflow.",
  input: z.strictObject({
    phase: trackInput.phase,
    name: trackInput.name,
    status: trackInput.status,
    workflow: trackInput.tracked,
    ...trackInput.additions,
  }),
  async run(deps, input): Promise<Outcome<TrackedReply>> {
    const opened = await openTracked(deps);
    if (!opened.ok) return opened;
    const chosen = await chooseTracked(opened.value, input.workflow);
    if (!chosen.ok) return chosen;
    const numbers = phaseNumbers(input.phase);
    const before = chosen.value.phase;
    const name = input.name ?? (numbers.current === before.current ? before.name : "");
    const phase = { ...numbers, name, status: input.status ?? "in_progress" };
    return yes(changeTracked(opened.value, chosen.value, { ...input, phase }));
  },
});
