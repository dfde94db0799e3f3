import * as z from "zod";
import { workflowTypes } from "../../../model/workflow-type.ts";
import { defineOperation, no, type Outcome, yes } from "../../../operation/operation.ts";
import { saveTracked, type TrackedReply } from "./change-tracked.ts";
import { openTracked } from "./choose-tracked.ts";
import { phaseNumbers, trackInput } from "./track-input.ts";

export const trackStart = defineOperation({
  summary: "Create a state card for a workflow that Holdfast doesn't run.",
  input: z.strictObject({
    workflow: trackInput.workflow,
    type: z.enum(workflowTypes).default("custom"),
    phase: trackInput.phase.default("1/1"),
    name: trackInput.name,
    status: trackInput.status,
    ...trackInput.additions,
  }),
  async run(deps, input): Promise<Outcome<TrackedReply>> {
    const opened = await openTracked(deps);
    if (!opened.ok) return opened;
    const { workflow, type, name = "", status = "in_progress", reading = [], reminder = [], set = {} } = input;
    const existing = opened.value.all.find((card) => card.workflow === workflow);
    if (existing !== undefined) {
      const { current, total, name: at } = existing.phase;
      return no({ code: "tracked-exists", workflow, where: `phase ${current}/${total} ${at}`.trim() });
    }
    const own = {
      workflow,
      workflow_type: type,
      phase: { ...phaseNumbers(input.phase), name, status },
      created_at: opened.value.ports.now(),
      run_id: null,
      required_reading: reading,
      key_reminders: reminder,
      context: set,
      other: {},
    };
    return yes(saveTracked(opened.value, own, null, []));
  },
});
