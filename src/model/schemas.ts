import * as z from "zod";
import { type RunEvent as Event, eventSchema, eventTypes } from "./event.ts";

type EventObject = z.ZodObject<{ type: z.ZodLiteral<string> }>;

/** The schema of all events in one. */
export const RunEvent = z.discriminatedUnion(
  "type",
  eventTypes.map((type) => eventSchema(type) as unknown as EventObject) as [EventObject, ...EventObject[]],
) as unknown as z.ZodType<Event>;
export type RunEvent = Event;
