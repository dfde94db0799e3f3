import * as z from "zod";
import { Identifier } from "./ids.ts";
import { oneOf } from "./one-of.ts";
import { approvalPlaces } from "./visit-rules.ts";

const time = 'must be a time such as "90s", "10m" or "1h"';
const Duration = z
  .string(time)
  .regex(/^\d{1,6}(ms|s|m|h)$/, time)
  .refine((text) => !/^0+[a-z]/.test(text), "must be more than 0");

const empty = "must not be empty";
const filled = z
  .string()
  .min(1, { error: empty, abort: true })
  .refine((text) => text.trim() !== "", empty);

const Arguments = z
  .array(z.string())
  .min(1, empty)
  .refine(([program]) => program?.trim() !== "", "must begin with the program to run");

/** A command, as a gate or as a step of its own. */
export const RunCheck = z.strictObject({
  run: z.union([filled, Arguments], { error: "must be a command line or a list of arguments" }),
  timeout: Duration.optional(),
});

/** Executes the value of a variable of type `command`. */
const CommandCheck = z.strictObject({ command: Identifier, timeout: Duration.optional() });

const ExistsCheck = z.strictObject({
  exists: z.union([filled, z.array(filled).min(1, empty)], { error: "must be a path, a glob or a list of them" }),
});

const one = "must be a map with one of contains, matches and schema";

/** A check of the agent's answer itself; `message` is what the agent is told when it fails. */
const OutputCheck = z.strictObject({
  output: z.union(
    [
      z.strictObject({ contains: filled }),
      z.strictObject({ matches: filled.max(200, "must have at most 200 characters") }),
      z.strictObject({ schema: filled }),
    ],
    { error: one },
  ),
  message: filled.max(500, "must have at most 500 characters").optional(),
});
export type OutputCheck = z.infer<typeof OutputCheck>;

const somewhere = 'must be "human", or a map such as { human: [terminal] }';
const Approval = z.strictObject({
  approval: z.union(
    [
      z.literal("human", somewhere),
      z.strictObject({ human: z.array(oneOf("place", approvalPlaces)).min(1, "must name a place") }),
    ],
    { error: somewhere },
  ),
});

/** A check that needs no person. */
export const Check = z.union([RunCheck, CommandCheck, ExistsCheck, OutputCheck], {
  error: "must be a map with run, command, exists or output",
});
export type Check = z.infer<typeof Check>;

/** A condition that must be met before a visit can end. */
export const Gate = z.union([RunCheck, CommandCheck, ExistsCheck, OutputCheck, Approval], {
  error: "must be a map with run, command, exists, output or approval",
});
export type Gate = z.infer<typeof Gate>;
