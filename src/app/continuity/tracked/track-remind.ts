import * as z from "zod";
import { defineOperation, type Outcome, yes } from "../../../operation/operation.ts";
import { changeTracked, type TrackedReply } from "./change-tracked.ts";
import { chooseTracked, openTracked } from "./choose-tracked.ts";
import { trackInput } from "./track-input.ts";

export const trackRemind = defineOperation({
  summary: "Add a rule that must survive compaction to a tracked workflow.",
  input: z.strictObject({ reminder: trackInput.reminder, workflow: trackInput.tracked }),
  async run(deps, { reminder, workflow }): Promise<Outcome<TrackedReply>> {
    const opened = await openTracked(deps);
    if (!opened.ok) return opened;
    const chosen = await chooseTracked(opened.value, workflow);
    if (!chosen.ok) return chosen;
    return yes(changeTracked(opened.value, chosen.value, { reminder: [reminder.trim()] }));
  },
});
