import * as z from "zod";
import { type RunEvent as Event, eventSchema, eventTypes } from "./event.ts";
import { StartedRun } from "./run.ts";
import { Template } from "./template.ts";

type EventObject = z.ZodObject<{ type: z.ZodLiteral<string> }>;

/** The schema of all events in one. */
export const RunEvent = z.discriminatedUnion(
  "type",
  eventTypes.map((type) => eventSchema(type) as unknown as EventObject) as [EventObject, ...EventObject[]],
) as unknown as z.ZodType<Event>;
export type RunEvent = Event;

export const schemaNames = ["template", "state", "event"] as const;
export type SchemaName = (typeof schemaNames)[number];

/** The JSON Schemas of the stored and written formats, for editors and other programs. */
export function jsonSchema(name: SchemaName): object {
  const { schema, title } = sources[name];
  return { title, ...z.toJSONSchema(schema, { target: "draft-7", io: "input" }) };
}

const sources = {
  template: { schema: Template, title: "Holdfast workflow" },
  state: { schema: StartedRun, title: "Holdfast run" },
  event: { schema: RunEvent, title: "Holdfast event" },
} as const;
