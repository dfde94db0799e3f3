import * as z from "zod";
import { joinWords, quote } from "./quote.ts";

/** An enum whose error quotes the input and lists the allowed values, and `others` that are no texts. */
export function oneOf<const Values extends readonly string[]>(
  noun: string,
  values: Values,
  others: readonly string[] = [],
): z.ZodEnum<{ [V in Values[number]]: V }> {
  return z.enum(values, {
    error: ({ input }) =>
      typeof input === "string"
        ? `${quote(input)} is not ${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}; use ${joinWords([...values, ...others], "or")}`
        : undefined,
  });
}
