import * as z from "zod";
import { Step, SubStep, Template } from "../template.ts";

const target = z.string().describe("The id of a step, or loop/sub-step.");
const end = z.union([z.literal(true), z.string()]).describe("true for the workflow, or the id of a loop.");
const insert = z.array(z.union([Step, SubStep])).min(1);

/** One difference from the workflow that is extended. The loader words what is wrong with one in `read-changes.ts`. */
const Change = z.union([
  z.strictObject({ after: target, insert }),
  z.strictObject({ before: target, insert }),
  z.strictObject({ first: end, insert }),
  z.strictObject({ last: end, insert }),
  z.strictObject({ step: target, set: z.strictObject(keysToSet()) }),
  z.strictObject({ step: target, remove: z.literal(true) }),
]);

/** Every key that a step or sub-step can have; null removes it. */
function keysToSet(): Record<string, z.ZodType> {
  const shapes: readonly Readonly<Record<string, z.ZodType>>[] = [...Step.options, SubStep].map(({ shape }) => shape);
  const keys = new Set(shapes.flatMap((shape) => Object.keys(shape)));
  const valuesOf = (key: string) => shapes.flatMap((shape) => (shape[key] === undefined ? [] : [shape[key]]));
  return Object.fromEntries([...keys].map((key) => [key, z.union([...new Set(valuesOf(key)), z.null()]).optional()]));
}

const { steps: _steps, ...shape } = Template.shape;

const Extension = z.strictObject({
  ...Object.fromEntries(Object.entries(shape).map(([key, schema]) => [key, partial(schema).optional()])),
  name: Template.shape.name,
  extends: z.string().describe("A built-in workflow, one of the project, or the relative path of a file."),
  change: z.array(Change).max(500).optional(),
});

/** What merges into a base may leave out what the base has. */
function partial(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional) return partial(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodUnion) return z.union(schema.options.map((each) => partial(each as z.ZodType)));
  if (schema instanceof z.ZodRecord) return z.record(schema.keyType, partial(schema.valueType as z.ZodType));
  if (!(schema instanceof z.ZodObject)) return schema;
  const parts = Object.entries(schema.shape).map(([key, part]) => [key, partial(part as z.ZodType).optional()]);
  return z.strictObject(Object.fromEntries(parts));
}

/** A workflow's file, for editors: a whole template, or one that extends another. The loader checks the result instead. */
export const WrittenTemplate = z.union([Template, Extension]);
