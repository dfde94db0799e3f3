import * as z from "zod";
import { type OperationName, operations } from "../../app/operations.ts";
import { isRecord } from "../../model/json.ts";
import { quote } from "../../model/quote.ts";
import { HttpProblem } from "../http/problem.ts";
import type { ServedOperation } from "./served.ts";

/** The input of an operation as a JSON schema, without what is not served. */
export interface InputSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required?: readonly string[];
  readonly additionalProperties: false;
}

const made = new Map<OperationName, InputSchema>();

export function inputSchema(name: OperationName, { without = [] }: ServedOperation): InputSchema {
  const known = made.get(name);
  if (known !== undefined) return known;
  const schema = schemaOf(operations[name].input, without);
  made.set(name, schema);
  return schema;
}

export function schemaOf(input: z.ZodObject, without: readonly string[] = []): InputSchema {
  const { properties = {}, required } = z.toJSONSchema(input, { io: "input" });
  const served = Object.entries(properties).filter(([each]) => !without.includes(each));
  return {
    type: "object",
    properties: Object.fromEntries(served.map(([each, value]) => [each, isRecord(value) ? value : {}])),
    ...(required !== undefined && { required }),
    additionalProperties: false,
  };
}

/** The values of a query, each as its schema has it: `from=10` is a number. */
export function typedQuery(query: URLSearchParams, { properties }: InputSchema): Record<string, unknown> {
  const names = [...new Set(query.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = query.getAll(name);
      const { type } = properties[name] ?? {};
      if (type === "array") return [name, values];
      if (values.length > 1) throw usage(`${quote(name)} is given more than once`);
      return [name, typed(values[0] ?? "", type)];
    }),
  );
}

function typed(text: string, type: unknown): unknown {
  if ((type === "integer" || type === "number") && /^-?\d{1,15}(?:\.\d{1,9})?$/.test(text)) return Number(text);
  if (type === "boolean" && /^(?:true|false)$/.test(text)) return text === "true";
  return text;
}

/** The input, if it fits; throws what is wrong with it otherwise. */
export function checkInput(name: OperationName, options: ServedOperation, given: object): object {
  const { properties } = inputSchema(name, options);
  const unknown = Object.keys(given).find((each) => !Object.hasOwn(properties, each));
  if (unknown !== undefined) {
    const known = Object.keys(properties).join(", ") || "nothing";
    throw usage(`${quote(unknown)} is not an input of "${name}", which takes ${known}`);
  }
  const input = operations[name].input.safeParse(given);
  if (!input.success) {
    const [issue] = input.error.issues;
    throw usage(`${issue?.path.join(".") || "the input"}: ${issue?.message ?? "is not valid"}`);
  }
  const { workflow } = input.data as { readonly workflow?: unknown };
  if (typeof workflow === "string" && /[/\\]|\.(?:ya?ml|json)$/i.test(workflow)) {
    throw usage("a workflow is named over HTTP, not given as a path");
  }
  return input.data;
}

export function usage(message: string): HttpProblem {
  return new HttpProblem(400, "usage", message, "see GET /api/openapi.json for what each operation takes");
}
