import * as z from "zod";
import { Name } from "./ids.ts";

/** Where in a workflow a visit stands. A loop without its tasks is a place of its own. */
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
  z.strictObject({ type: z.literal("ralph"), step: Name, iteration: z.int().positive() }),
]);
export type Place = z.infer<typeof Place>;

/**
 * The key an output is found by: `step`, `step.iteration`, `loop.task.subStep`.
 * Dots inside an id are escaped, so that no two places share a key.
 */
export function outputKey(place: Place): string {
  return segments(place)
    .map((part) => guard(part, /[%.]/g))
    .join(".");
}

/** The token of one attempt at one visit: `build/t2/implement#1`, and `build/t2/implement#1~2` for the second attempt. */
export function tokenOf(place: Place, visit: number, attempt: number): string {
  const path = segments(place)
    .map((part) => guard(part, /[%/#~]/g))
    .join("/");
  return attempt === 1 ? `${path}#${visit}` : `${path}#${visit}~${attempt}`;
}

function segments(place: Place): string[] {
  switch (place.type) {
    case "action":
    case "loop":
      return [place.step];
    case "sub-step":
      return [place.step, place.task, place.subStep];
    case "ralph":
      return [place.step, String(place.iteration)];
  }
}

function guard(part: string, reserved: RegExp): string {
  // Most names have nothing to escape.
  if (part.search(reserved) === -1) return part;
  return part.replace(reserved, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
