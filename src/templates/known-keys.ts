import * as z from "zod";
import { ActionStep, CommandStep, LoopStep, RalphStep, Template } from "../model/template.ts";
import type { Path } from "./problem.ts";
import { type Fields, isMap, valueAt } from "./value.ts";

/** A workflow as it is written; extending another is resolved before its template is checked. */
const Workflow = z.strictObject({
  ...Template.shape,
  extends: z.string().optional(),
  change: z.array(z.unknown()).optional(),
});

type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** The shapes that a map may have at a path: those that its type or required keys point to, and the others. */
export interface Shapes {
  readonly fitting: readonly Shape[];
  readonly others: readonly Shape[];
}

export function shapesAt(value: unknown, path: Path): Shapes {
  let schemas: z.core.$ZodType[] = [Workflow];
  for (const part of path) schemas = schemas.flatMap((schema) => stepInto(schema, part));
  const shapes = schemas
    .flatMap(open)
    .flatMap((schema) => (schema instanceof z.ZodObject ? [schema.shape as Shape] : []));
  const given = valueAt(value, path);
  const fitting = isMap(given) ? shapes.filter((shape) => couldBe(shape, given)) : [];
  return fitting.length === 0
    ? { fitting: shapes, others: [] }
    : { fitting, others: shapes.filter((shape) => !fitting.includes(shape)) };
}

export function keysOf(shapes: readonly Shape[]): Set<string> {
  return new Set(shapes.flatMap((shape) => Object.keys(shape)));
}

export function requiredKeys(shape: Shape): string[] {
  return Object.keys(shape).filter((key) => !(shape[key] instanceof z.ZodOptional));
}

/** The step types that allow this key. */
export function stepTypesWith(key: string): string[] {
  return [ActionStep, LoopStep, RalphStep, CommandStep]
    .filter(({ shape }) => Object.hasOwn(shape, key))
    .flatMap(({ shape }) => [...shape.type.values]);
}

function couldBe(shape: Shape, given: Fields): boolean {
  const { type } = shape;
  if (type instanceof z.ZodLiteral) return type.values.has(given.type as string);
  return requiredKeys(shape).some((key) => Object.hasOwn(given, key));
}

function stepInto(schema: z.core.$ZodType, part: string | number): z.core.$ZodType[] {
  return open(schema).flatMap((each) => {
    if (each instanceof z.ZodArray) return [each.element];
    if (each instanceof z.ZodRecord) return [each.valueType];
    const shape: Shape = each instanceof z.ZodObject ? each.shape : {};
    const next = Object.hasOwn(shape, part) ? shape[part] : undefined;
    return next === undefined ? [] : [next];
  });
}

function open(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional) return open(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(open);
  return [schema];
}
