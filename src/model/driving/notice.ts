import * as z from "zod";
import { Parking } from "./driving.ts";

function notice<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), ...shape });
}

const Count = z.int().nonnegative();
const Token = z.string();

/** What a runner tells whoever watches it. Later versions may add types and fields. */
export const Notice = z.discriminatedUnion("type", [
  notice("run", {
    run: z.string(),
    workflow: z.string(),
    agent: z.string(),
    version: z.string().optional(),
    resumed: z.boolean(),
  }),
  notice("visit", {
    token: Token,
    step: z.string(),
    /** Of the step among all steps, from 1. */
    number: Count,
    steps: Count,
    task: z.object({ title: z.string(), number: Count, total: Count }).optional(),
  }),
  notice("text", { text: z.string() }),
  notice("tool", { name: z.string(), detail: z.string() }),
  /** Something that the person should know, such as a hint that the agent does not follow. */
  notice("note", { text: z.string() }),
  notice("denied", { tool: z.string() }),
  notice("context", { action: z.enum(["compact", "clear"]), proved: z.boolean() }),
  /** A gate or a command step begins. */
  notice("check", { what: z.string() }),
  /** The visit could not end; the agent gets the message. */
  notice("refused", { token: Token, code: z.string(), message: z.string() }),
  notice("done", { token: Token }),
  /** The agent says that it could not do it; the workflow decides what follows. */
  notice("failed", { token: Token, reason: z.string() }),
  notice("lost", { token: Token, reason: z.string() }),
  /** The provider has failed for now; it is asked again then. */
  notice("retry", { token: Token, reason: z.string(), until: z.iso.datetime() }),
  /** What this runner has used so far; null where the agent does not tell. The cost is in US dollars. */
  notice("usage", { turns: Count, tokens: Count.nullable(), cost: z.number().nullable() }),
  notice("parked", Parking.shape),
  notice("ended", {
    run: z.string(),
    ending: z.enum(["complete", "failed", "waits", "parked", "interrupted", "refused"]),
    reason: z.string(),
    /** What a person has to do, as a command. */
    next: z.string().optional(),
  }),
]);
export type Notice = z.infer<typeof Notice>;

/** One line of `holdfast run --json`. */
export const RunLine = z.intersection(z.object({ at: z.iso.datetime() }), Notice);
