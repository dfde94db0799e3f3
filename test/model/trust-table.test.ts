import { expect, it } from "vitest";
import * as z from "zod";
import { isRecord } from "../../src/model/json.ts";
import { Template } from "../../src/model/template.ts";
import { coverLines, coverOf } from "../../src/model/trust/cover.ts";
import { coveredFields, pathSteps } from "../../src/model/trust/covered-fields.ts";
import { jsonSchema } from "../../src/model/written/json-schema.ts";

/**
 * The keys of a template that execute nothing and grant nothing. A new key must be added here, if it is prose, or to
 * `coveredFields`, if Holdfast executes it or gives an agent more with it.
 */
const prose = [
  ..."name description use_when type required_reading[] key_reminders[] hold".split(" "),
  ...["turns", "minutes", "tokens", "cost", "pivot_to"].map((key) => `budget.${key}`),
  ..."agents{}.description agents{}.cannot[] agents{}.effort".split(" "),
  ...["type", "required", "description", "choices[]", "pattern"].map((key) => `variables{}.${key}`),
  ...["always_load[]", "conditional_load[]"].flatMap((list) =>
    [
      ...["id", "type", "name", "path", "path_from_state", "description", "required", "condition"],
      ...["reload_triggers[]", "select", "latest", "max_bytes", "load"],
    ].map((key) => `critical_artifacts.${list}.${key}`),
  ),
  ...["from", "to", "reason", "context", "carry[]"].map((key) => `transitions[].${key}`),
  ...["loops{}[]", "steps[]"].flatMap((where) =>
    [
      ...["id", "agent", "context", "on_fail", "on_fail.go_to", "max_retries", "when", "instructions", "effort"],
      ...["budget.turns", "budget.minutes", "budget.tokens", "budget.cost", "budget.pivot_to"],
      ...["gate[].timeout", "gate[].exists", "gate[].exists[]", "gate[].approval", "gate[].approval.human[]"],
      ...["contains", "matches", "schema"].map((key) => `gate[].output.${key}`),
      "gate[].message",
    ].map((key) => `${where}.${key}`),
  ),
  ...["type", "phase", "artefacts", "outcomes{}", "n", "parallel"].map((key) => `steps[].${key}`),
  // Both are shown with the command that they belong to.
  ...["timeout", "repeatable"].map((key) => `steps[].${key}`),
  ...["timeout", "repeatable", "file", "output"].map((key) => `steps[].tasks.${key}`),
  ...["until[].timeout", "until[].exists", "until[].exists[]"].map((key) => `steps[].${key}`),
  ...["contains", "matches", "schema"].map((key) => `steps[].until[].output.${key}`),
  "steps[].until[].message",
  "variables{}",
];

/** Every path of a JSON Schema that has a plain value, in the notation of `coveredFields`. */
function pathsIn(schema: unknown, path = ""): string[] {
  if (!isRecord(schema)) return [];
  const options = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const inner = [
    ...Object.entries(isRecord(schema.properties) ? schema.properties : {}).flatMap(([key, part]) =>
      pathsIn(part, path === "" ? key : `${path}.${key}`),
    ),
    ...pathsIn(schema.items, `${path}[]`),
    ...(isRecord(schema.additionalProperties) ? pathsIn(schema.additionalProperties, `${path}{}`) : []),
    ...options.flatMap((option) => pathsIn(option, path)),
  ];
  return inner.length === 0 ? [path] : inner;
}

it("every key of the template's schema is either prose or covered by trust", () => {
  const covered: readonly string[] = coveredFields.map(({ path }) => path);
  const isCovered = (path: string) => covered.some((field) => path === field || path === `${field}[]`);
  const unsettled = [...new Set(pathsIn(z.toJSONSchema(Template, { io: "input" })))].filter(
    (path) => !isCovered(path) && !prose.includes(path),
  );
  expect(unsettled).toEqual([]);
});

it("every covered field is in the schema, marked for the author, and shown by trust", () => {
  // It cannot be written if it lacks one of the fields.
  expect(JSON.stringify(jsonSchema("template"))).toContain("Needs the trust of a person");
  for (const { path, kind } of coveredFields) {
    const { template, mark } = templateWith(path);
    const lines = coverLines(coverOf(template, {})).filter((line) => line.includes(mark));
    expect([path, lines.length, lines[0]?.startsWith(kind)]).toEqual([path, 1, true]);
  }
});

/** A template with a mark at one path. Where the path names a variable, the mark is the variable's value. */
function templateWith(path: string): { readonly template: Template; readonly mark: string } {
  const mark = "the-mark";
  const isCommand = path.endsWith("[].command") && !path.startsWith("critical_artifacts");
  const variables =
    isCommand || path.startsWith("variables") ? { held: { type: "command", default: mark } } : undefined;
  const value = isCommand ? "held" : path.endsWith("tools") ? [mark] : mark;
  const built = pathSteps(path).toReversed().reduce<unknown>(around, value);
  const whole = {
    name: "own",
    description: "a test",
    steps: [],
    ...(built as object),
    ...(variables && { variables }),
  };
  return { template: whole as unknown as Template, mark };
}

/** The value that has this one at the last part of its path. */
function around(inner: unknown, part: string): unknown {
  if (part === "[]") return [isRecord(inner) ? { id: "here", ...inner } : inner];
  return part === "{}" ? { here: inner } : { [part]: inner };
}
