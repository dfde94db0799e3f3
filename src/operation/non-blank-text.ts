import { stripVTControlCharacters } from "node:util";
import * as z from "zod";

/** A sign that a reader sees: no space, no control character, nothing that takes no room or is drawn as a blank. */
const seen = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** What someone says in words of their own. It must say something: others wait for it, or go by it. */
export function nonBlankText(length: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(length)
    .refine((said) => seen.test(stripVTControlCharacters(said)), "must not be blank");
}
