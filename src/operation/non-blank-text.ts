import { stripVTControlCharacters } from "node:util";
import * as z from "zod";

/** A visible character: no space, control or format character, and none that is drawn as a blank. */
const visible = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** How long a person's words may be, in characters. */
export const longest = { answer: 10_000, reason: 4_000 } as const;

/** Free text that must not be blank, because others wait for it or act on it. */
export function nonBlankText(length: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(length)
    .refine((text) => visible.test(stripVTControlCharacters(text)), "must not be blank");
}
