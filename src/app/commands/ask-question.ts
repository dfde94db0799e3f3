import * as z from "zod";
import type { Actor, Command } from "../../model/command.ts";
import { longest, nonBlankText } from "../../operation/non-blank-text.ts";
import { type Deps, defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import { recordedReply } from "../driving/driven-reply.ts";
import { changeRun } from "../runs/change-run.ts";
import { chooseRun } from "../runs/choose-run.ts";
import { countUsage } from "../runs/count-usage.ts";
import { type Reply, replyTo, type StatusReply, statusOf } from "../runs/reply.ts";
import { readFrozen } from "../workflows/frozen-template.ts";
import { agentBehind, deciderFor } from "../workflows/person.ts";

const run = z.string().optional().describe("The run; by default the one this call belongs to.");
const text = nonBlankText(longest.answer);

export const askQuestion = defineOperation({
  summary: "Ask a person; the visit waits for the answer.",
  input: z.strictObject({ run, question: text.describe("The question.") }),
  async run(deps, { run: named, question }): Promise<Outcome<Reply>> {
    const changed = await change(deps, named, { type: "ask", question, session: deps.caller.session }, false);
    if (changed.ok && deps.caller.isDriven === true) return yes(recordedReply(changed.value.standing.run.runId, ""));
    return changed.ok ? yes(await statusOf(deps, changed.value.standing)) : changed;
  },
});

/** `answered` is set when a person answered: they are told what happens next, not what the agent has to do. */
export type AnswerReply = Reply & { readonly answered?: { readonly id: string; readonly question: string } };

/** An agent may pass on a person's answer; the journal records that it was passed on. */
export const answerQuestion = defineOperation({
  summary: "Answer an open question; the visit continues.",
  input: z.strictObject({
    run,
    question: z.string().optional().describe("The question's id, where several are open."),
    answer: text.describe("The person's answer."),
  }),
  async run(deps, { run: named, question, answer }): Promise<Outcome<AnswerReply>> {
    const by = await speakerOf(deps, "answering", relayed);
    if (!by.ok) return by;
    const passedOn = by.value.by === relayed;
    const changed = await change(deps, named, { type: "answer", question, answer, ...by.value }, passedOn);
    if (!changed.ok) return changed;
    const { standing, events } = changed.value;
    const reply = await replyTo(deps, standing, events);
    const event = events.find(({ type }) => type === "question-answered");
    if (passedOn || event?.type !== "question-answered") return yes(reply);
    const { id } = event;
    return yes({
      ...reply,
      answered: { id, question: standing.run.questions.find((each) => each.id === id)?.text ?? "" },
    });
  },
});

export const withdrawQuestion = defineOperation({
  summary: "Withdraw an open question; the visit continues without an answer.",
  input: z.strictObject({
    run,
    question: z.string().optional().describe("The question's id, where several are open."),
  }),
  async run(deps, { run: named, question }): Promise<Outcome<StatusReply>> {
    const nobody = agentBehind(deps.caller) === undefined ? "a script" : "the agent";
    const by = await speakerOf(deps, "taking a question back", nobody);
    if (!by.ok) return by;
    const changed = await change(deps, named, { type: "withdraw", question, ...by.value }, false);
    return changed.ok ? yes(await statusOf(deps, changed.value.standing)) : changed;
  },
});

/** Who has answered, where it was not the person themselves. */
export const relayed = "passed on by the agent";

/** The person's name, or `otherwise` if no person acts. A caller that claims to be a person must prove it. */
async function speakerOf(deps: Deps, what: string, otherwise: string): Promise<Outcome<Actor>> {
  const person = await deciderFor(deps, what);
  return person.ok || deps.caller.as !== undefined ? person : yes({ by: otherwise });
}

async function change(deps: Deps, named: string | undefined, command: Command, handOut: boolean) {
  const chosen = await chooseRun(deps, named);
  if (!chosen.ok) return chosen;
  // What was used before the question counts for the visit; what is used while it waits does not.
  const standing = command.type === "ask" ? await countUsage(deps, chosen.value) : chosen.value;
  const { template } = await readFrozen(deps, standing.run);
  return changeRun(deps, standing, template, { command, handOut });
}
