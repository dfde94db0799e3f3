import * as z from "zod";
import { StartedRun } from "../run.ts";
import { RunEvent } from "../schemas.ts";
import { WrittenTemplate } from "./written-template.ts";

export const schemaNames = ["template", "state", "event"] as const;
export type SchemaName = (typeof schemaNames)[number];

/** The JSON Schemas of the stored and written formats, for editors and other programs. */
export function jsonSchema(name: SchemaName): object {
  const { schema, title, reused } = sources[name];
  return { title, ...z.toJSONSchema(schema, { target: "draft-7", io: "input", reused }) };
}

const sources = {
  // Steps are described three times: as steps, as what is inserted and as what is set.
  template: { schema: WrittenTemplate, title: "Holdfast workflow", reused: "ref" },
  state: { schema: StartedRun, title: "Holdfast run", reused: "inline" },
  event: { schema: RunEvent, title: "Holdfast event", reused: "inline" },
} as const;
