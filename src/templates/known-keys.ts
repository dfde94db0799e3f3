import { z } from "zod";
import type { Path } from "./problem.ts";

/** The keys that a schema knows at a path, over all its alternatives. */
export function knownKeys(schema: z.core.$ZodType, path: Path): string[] {
  const here = path.reduce<z.core.$ZodType[]>(
    (schemas, part) => schemas.flatMap((each) => stepInto(each, part)),
    [schema],
  );
  return [
    ...new Set(here.flatMap(open).flatMap((each) => (each instanceof z.ZodObject ? Object.keys(each.shape) : []))),
  ];
}

function stepInto(schema: z.core.$ZodType, part: string | number): z.core.$ZodType[] {
  return open(schema).flatMap((each) => {
    if (each instanceof z.ZodArray) return [each.element];
    if (each instanceof z.ZodRecord) return [each.valueType];
    const shape: Record<string, z.core.$ZodType> = each instanceof z.ZodObject ? each.shape : {};
    const next = shape[part];
    return next === undefined ? [] : [next];
  });
}

function open(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional) return open(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(open);
  return [schema];
}
