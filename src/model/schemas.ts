import * as z from "zod";
import { RunEvent } from "./event.ts";
import { StartedRun } from "./run.ts";
import { Template } from "./template.ts";

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
