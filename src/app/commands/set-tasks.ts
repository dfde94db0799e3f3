import * as z from "zod";
import type { Standing } from "../../journal/run-journal.ts";
import type { Actor } from "../../model/command.ts";
import { isLive } from "../../model/run-state.ts";
import type { Task } from "../../model/task.ts";
import { type Deps, defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import { briefCaller } from "../briefing/brief-caller.ts";
import { recordedReply } from "../driving/driven-reply.ts";
import { changeRun } from "../runs/change-run.ts";
import { chooseRun } from "../runs/choose-run.ts";
import { countUsage } from "../runs/count-usage.ts";
import { focusAfter, focusOn } from "../runs/focus.ts";
import { type Reply, replyTo, statusOf } from "../runs/reply.ts";
import { readFrozen } from "../workflows/frozen-template.ts";
import { personOf } from "../workflows/person.ts";
import { replyPastCommands } from "./take-next.ts";

export const setTasks = defineOperation({
  summary: "Set the tasks of a loop.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default the one this call belongs to."),
    loop: z.string().describe("The loop's id."),
    tasks: z
      .array(
        z.looseObject({
          id: z.string(),
          title: z.string(),
          description: z.unknown().optional(),
          depends_on: z.unknown().optional(),
        }),
      )
      .describe("Each with an id and a title; an empty list skips the loop."),
  }),
  async run(deps, { run: named, loop, tasks }): Promise<Outcome<Reply>> {
    const began = process.uptime();
    const chosen = await chooseRun(deps, named);
    if (!chosen.ok) return chosen;
    const here = await countUsage(deps, chosen.value);
    const { template } = await readFrozen(deps, here.run);
    const plain = tasks.map(({ id, title, description, depends_on: before }): Task => {
      const about = typeof description === "string" ? { description } : {};
      return { id, title, ...about, ...(before !== undefined && { depends_on: before as string[] }) };
    });
    const person = await personInstead(deps, here, loop);
    const changed = await changeRun(deps, here, template, {
      command: { type: "set-tasks", loop, tasks: plain, session: deps.caller.session, person },
      handOut: person === undefined && deps.caller.isDriven !== true,
    });
    if (!changed.ok) return changed;
    const { standing, events } = changed.value;
    if (person !== undefined) return yes(await statusOf(deps, standing));
    if (deps.caller.isDriven === true) return yes(recordedReply(standing.run.runId, ""));
    const focused = focusOn(deps, focusAfter(standing.run, events));
    const reply = await briefCaller(focused, template, standing, await replyTo(focused, standing, events), "moved");
    return replyPastCommands(deps, yes(reply), began);
  },
});

/** The person who sets the tasks of a loop because its source has failed: what to do about a failure is theirs to decide. */
async function personInstead(deps: Deps, { run }: Standing, loop: string): Promise<Actor | undefined> {
  const failed = isLive(run) && run.visits.some(({ place, pending }) => place.step === loop && pending !== undefined);
  const person = failed ? await personOf(deps, "setting the tasks of a loop whose source has failed") : null;
  return person?.ok ? person.value : undefined;
}
