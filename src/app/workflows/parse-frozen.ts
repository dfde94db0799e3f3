import * as z from "zod";
import { parseJson } from "../../model/json.ts";
import { Template } from "../../model/template.ts";
import { hashTemplate } from "../../templates/hash.ts";

/** The template as a run keeps it: where it came from, and hashes of those files to see quickly whether they changed. */
const Frozen = z.strictObject({
  format: z.literal(1),
  from: z.string(),
  source: z.string(),
  /** The workflows that the file extends; what `extends` says in each file before. */
  bases: z.array(z.strictObject({ extends: z.string(), source: z.string() })).optional(),
  template: Template,
});
export type Frozen = z.infer<typeof Frozen>;

/** The template of this hash, every part of it checked; a text says why it is none. */
export function parseFrozen(text: string, hash: string): Frozen | string {
  const parsed = Frozen.safeParse(parseJson(text));
  if (!parsed.success) return "it is not a template of this version";
  return hashTemplate(parsed.data.template) === hash ? parsed.data : "it is not the template that the run knows";
}
