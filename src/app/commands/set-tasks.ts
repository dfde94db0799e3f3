import * as z from "zod";
import type { Task } from "../../model/task.ts";
import { defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import { briefCaller } from "../briefing/brief-caller.ts";
import { changeRun } from "../runs/change-run.ts";
import { chooseRun } from "../runs/choose-run.ts";
import { type Reply, replyTo } from "../runs/reply.ts";
import { readFrozen } from "../workflows/frozen-template.ts";
import { replyPastCommands } from "./take-next.ts";

export const setTasks = defineOperation({
  summary: "Set the tasks of a loop.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default the one this call belongs to."),
    loop: z.string().describe("The loop's id."),
    tasks: z
      .array(z.looseObject({ id: z.string(), title: z.string(), description: z.unknown().optional() }))
      .describe("Each with an id and a title; an empty list skips the loop."),
  }),
  async run(deps, { run: named, loop, tasks }): Promise<Outcome<Reply>> {
    const began = performance.now();
    const chosen = await chooseRun(deps, named);
    if (!chosen.ok) return chosen;
    const { template } = await readFrozen(deps, chosen.value.run);
    const plain = tasks.map(({ id, title, description }): Task => {
      return typeof description === "string" ? { id, title, description } : { id, title };
    });
    const changed = await changeRun(deps, chosen.value, template, {
      command: { type: "set-tasks", loop, tasks: plain, session: deps.caller.session },
      handOut: true,
    });
    if (!changed.ok) return changed;
    const { standing, events } = changed.value;
    const reply = await briefCaller(deps, template, standing, await replyTo(deps, standing, events), "moved");
    return replyPastCommands(deps, yes(reply), began);
  },
});
