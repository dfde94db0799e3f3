import * as z from "zod";
import { RunLine } from "../driving/notice.ts";
import { isRecord } from "../json.ts";
import { StartedRun } from "../run.ts";
import { RunEvent } from "../schemas.ts";
import { coveredFields, pathSteps } from "../trust/covered-fields.ts";
import { WrittenTemplate } from "./written-template.ts";

export const schemaNames = ["template", "state", "event", "run-line"] as const;
export type SchemaName = (typeof schemaNames)[number];

/** The JSON Schemas of the stored and written formats, for editors and other programs. */
export function jsonSchema(name: SchemaName): object {
  const { schema, title } = sources[name];
  const json = { title, ...z.toJSONSchema(schema, { target: "draft-7", io: "input", reused: "ref" }) };
  return name === "template" ? withTrust(json) : json;
}

/** Parts that occur more than once, such as steps and visits, are defined once. */
const sources = {
  template: { schema: WrittenTemplate, title: "Holdfast workflow" },
  state: { schema: StartedRun, title: "Holdfast run" },
  event: { schema: RunEvent, title: "Holdfast event" },
  "run-line": { schema: RunLine, title: "A line of holdfast run --json" },
} as const;

type Json = Record<string, unknown>;

/** Says at every field that trust covers that a person has to agree to it. */
function withTrust(schema: object): object {
  const marked: unknown = JSON.parse(JSON.stringify(schema));
  const definitions = isRecord(marked) && isRecord(marked.definitions) ? marked.definitions : {};
  for (const { path } of coveredFields) {
    const fields = fieldsAt(definitions, marked, pathSteps(path));
    if (fields.length === 0) throw new Error(`the schema of templates has no ${path}, but trust covers it`);
    for (const field of fields) field.description = "Needs the trust of a person, and again when it changes.";
  }
  return marked as object;
}

function fieldsAt(definitions: Readonly<Json>, schema: unknown, path: readonly string[]): Json[] {
  if (!isRecord(schema)) return [];
  const [step, ...rest] = path;
  if (step === undefined) return [schema as Json];
  const named = typeof schema.$ref === "string" ? definitions[schema.$ref.replace("#/definitions/", "")] : undefined;
  const options = [named, schema.allOf, schema.anyOf, schema.oneOf].flat();
  const inner = isRecord(schema.properties) ? schema.properties[step] : undefined;
  const next = step === "[]" ? schema.items : step === "{}" ? schema.additionalProperties : inner;
  return [fieldsAt(definitions, next, rest), options.flatMap((option) => fieldsAt(definitions, option, path))].flat();
}
