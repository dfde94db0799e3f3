import * as z from "zod";
import { Name } from "./ids.ts";

/** The position of a visit in a workflow. A loop that waits for its tasks is a place of its own. */
export const Place = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("action"), step: Name }),
  z.strictObject({ type: z.literal("loop"), step: Name }),
  z.strictObject({
    type: z.literal("sub-step"),
    step: Name,
    index: z.int().nonnegative(),
    task: z.string().min(1),
    subStep: Name,
  }),
  /** A step that Holdfast carries out itself: a command, or a loop that gets its tasks from somewhere. */
  z.strictObject({ type: z.literal("command"), step: Name }),
  z.strictObject({ type: z.literal("ralph"), step: Name, iteration: z.int().positive() }),
]);
export type Place = z.infer<typeof Place>;
