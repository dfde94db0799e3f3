import * as z from "zod";
import { parseJson } from "../../model/json.ts";
import { Template } from "../../model/template.ts";
import { hashTemplate } from "../../templates/hash.ts";

/** The template as a run keeps it: where it came from, and a hash of that file's bytes to see quickly whether it changed. */
const Frozen = z.strictObject({ format: z.literal(1), from: z.string(), source: z.string(), template: Template });
export type Frozen = z.infer<typeof Frozen>;

/** The template of this hash, every part of it checked; a text says why it is none. */
export function parseFrozen(text: string, hash: string): Frozen | string {
  const parsed = Frozen.safeParse(parseJson(text));
  if (!parsed.success) return "it is not a template of this version";
  return hashTemplate(parsed.data.template) === hash ? parsed.data : "it is not the template that the run knows";
}
