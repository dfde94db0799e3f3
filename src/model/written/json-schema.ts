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
  return withShortReferences(shareParts(name === "template" ? withTrust(json) : json));
}

/** There are hundreds of references: zod gives long names to parts, and wraps those of fields that are optional. */
function withShortReferences(schema: object): object {
  const text = JSON.stringify(schema)
    .replaceAll(/"(#\/definitions\/)?__schema(\d+)"/g, '"$1s$2"')
    .replaceAll(/\{"allOf":\[(\{"\$ref":"[^"]+"\})\]\}/g, "$1");
  return JSON.parse(text);
}

/** Parts that occur more than once, such as steps and visits, are defined once. */
const sources = {
  template: { schema: WrittenTemplate, title: "Holdfast workflow" },
  state: { schema: StartedRun, title: "Holdfast run" },
  event: { schema: RunEvent, title: "Holdfast event" },
  "run-line": { schema: RunLine, title: "A line of holdfast run --json" },
} as const;

type Json = Record<string, unknown>;

/** Shorter parts would gain nothing. */
const shortestShared = 80;

/** Defines parts once that are spelt out more than once, such as the pattern of a time, which every event has. */
function shareParts(schema: object): object {
  const counts = new Map<string, number>();
  forParts(schema, (part, inner) => {
    const text = JSON.stringify(part);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    return inner();
  });
  const names = new Map<string, string>();
  const shared: Json = {};
  const share = (part: unknown, inner: () => unknown): unknown => {
    const text = JSON.stringify(part);
    if (text.length < shortestShared || (counts.get(text) ?? 0) < 2) return inner();
    const name = names.get(text) ?? `part${names.size}`;
    if (!names.has(text)) {
      names.set(text, name);
      shared[name] = inner();
    }
    return { $ref: `#/definitions/${name}` };
  };
  const whole = forParts(schema, share);
  const definitions = isRecord(whole) && isRecord(whole.definitions) ? whole.definitions : {};
  return { ...(whole as object), definitions: { ...definitions, ...shared } };
}

/** Replaces every schema inside a schema, from the outside to the inside. */
function forParts(schema: unknown, replace: (part: unknown, inner: () => unknown) => unknown): unknown {
  if (!isRecord(schema)) return schema;
  const into = (part: unknown) => (isRecord(part) ? replace(part, () => forParts(part, replace)) : part);
  const entries = Object.entries(schema).map(([key, value]) => {
    if (schemaMaps.includes(key) && isRecord(value))
      return [key, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, into(part)]))];
    if (schemaLists.includes(key) && Array.isArray(value)) return [key, value.map(into)];
    return [key, schemaKeys.includes(key) ? into(value) : value];
  });
  return Object.fromEntries(entries);
}

const schemaMaps = ["properties", "definitions", "patternProperties"];
const schemaLists = ["anyOf", "oneOf", "allOf"];
const schemaKeys = ["items", "additionalProperties", "not", "propertyNames"];

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
