import * as z from "zod";
import { HoldfastError } from "../../errors.ts";
import { isRecord, parseJson } from "../../model/json.ts";
import { Template } from "../../model/template.ts";
import { formatOf, hashTemplate, newerFormat } from "../../templates/hash.ts";

/** The template as a run keeps it: where it came from, and hashes of those files to see quickly whether they changed. */
const Frozen = z.strictObject({
  format: z.union([z.literal(1), z.literal(2)]),
  /** The first version of Holdfast that reads it, from format 2 on. */
  needs: z.string().optional(),
  from: z.string(),
  source: z.string(),
  /** The workflows that the file extends; what `extends` says in each file before. */
  bases: z.array(z.strictObject({ extends: z.string(), source: z.string() })).optional(),
  template: Template,
});
export type Frozen = z.infer<typeof Frozen>;

/**
 * The template of this hash, every part of it checked; a text says why it is none. One that is whole, and yet has what this
 * version does not know, comes from a newer one.
 */
export function parseFrozen(file: string, text: string, hash: string): Frozen | string {
  const stored = parseJson(text);
  const newer = newerFormat(stored);
  if (newer !== null) throw new HoldfastError("format-newer", { file, ...newer });
  const parsed = Frozen.safeParse(stored);
  if (!parsed.success) {
    const { template } = isRecord(stored) ? stored : {};
    const format = formatOf(stored);
    const isWhole = isRecord(template) && hashTemplate(template as unknown as Template) === hash;
    if (isWhole && format !== null) throw new HoldfastError("format-newer", { file, ...format });
    return "it is not a template of this version";
  }
  return hashTemplate(parsed.data.template) === hash ? parsed.data : "it is not the template that the run knows";
}
