import * as z from "zod";

/** Why a runner has stopped driving a run. */
export const DriveEnd = z.enum(["ended", "waits", "parked", "interrupted", "failed"]);
export type DriveEnd = z.infer<typeof DriveEnd>;

/** Why a run is parked: nothing that Holdfast or the agent could do now would help. */
export const ParkReason = z.enum([
  /** The provider's limit is reached. */
  "limit",
  "overloaded",
  "quota",
  "key",
  /** The model refuses to answer. */
  "refused",
  "empty",
  "garbage",
  /** The agent was denied what it needs. */
  "denied",
  "not-started",
  /** A limit that was given to the runner. */
  "budget",
]);
export type ParkReason = z.infer<typeof ParkReason>;

const Time = z.iso.datetime();

/** `until` is when it goes on by itself, where that is known. */
export const Parking = z.strictObject({ why: ParkReason, reason: z.string(), until: Time.optional() });
export type Parking = z.infer<typeof Parking>;

/** The agent of one attempt at a visit. */
export const DrivenAgent = z.strictObject({
  agent: z.string(),
  /** Where the agent tells them. */
  version: z.string().optional(),
  model: z.string().optional(),
  holdfast: z.string(),
});
export type DrivenAgent = z.infer<typeof DrivenAgent>;

/** One for all conversations of a run: a runner that goes on has everything that the one before it had. */
export function drivenSession(runId: string): string {
  return `driver-${runId}`;
}
