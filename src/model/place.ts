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

/**
 * The key of an output: `step`, `step.iteration`, `loop.task.subStep`.
 * Dots inside an id are escaped, so that no two places share a key.
 */
export function outputKey(place: Place): string {
  return segments(place)
    .map((part) => guard(part, /[%.]/g))
    .join(".");
}

/**
 * The token of one attempt at a visit: `build/t2/implement#1`, then `build/t2/implement#1~2` for the second attempt. Under a
 * claim it ends with the number of the claim: `build/t2/implement#1@3`.
 */
export function tokenOf(place: Place, visit: number, attempt: number, claim?: number): string {
  const path = segments(place)
    .map((part) => guard(part, /[%/#~]/g))
    .join("/");
  const of = attempt === 1 ? `${path}#${visit}` : `${path}#${visit}~${attempt}`;
  return claim === undefined ? of : `${of}@${claim}`;
}

function segments(place: Place): string[] {
  switch (place.type) {
    case "action":
    case "loop":
    case "command":
      return [place.step];
    case "sub-step":
      return [place.step, place.task, place.subStep];
    case "ralph":
      return [place.step, String(place.iteration)];
  }
}

function guard(part: string, reserved: RegExp): string {
  // Fast path: most names have nothing to escape.
  if (part.search(reserved) === -1) return part;
  return part.replace(reserved, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
