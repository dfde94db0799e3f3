import { isRecord } from "../model/json.ts";
import type { Template } from "../model/template.ts";
import { sha256Hex } from "../platform/files.ts";

/** Identifies a template by its content; layout, comments and the order of keys do not count. */
export function hashTemplate(template: Template): string {
  return `sha256:${sha256Hex(JSON.stringify(canonical(template)))}`;
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, canonical(inner)]),
  );
}

/** The name of the file next to a run's journal that holds the template with this hash. */
export function templateFile(hash: string): string {
  return `template-${hash.replace(/^.*:/, "").slice(0, 16)}.json`;
}

/** The format of such a file, and the version of Holdfast that it needs if it names one. */
export interface TemplateFormat {
  readonly format: number;
  readonly needs?: string;
}

export function formatOf(stored: unknown): TemplateFormat | null {
  const { format, needs } = isRecord(stored) ? stored : {};
  if (typeof format !== "number") return null;
  const isVersion = typeof needs === "string" && /^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(needs);
  return isVersion ? { format, needs } : { format };
}

/** The newest format that this version reads. */
const newestFormat = 2;

/** The format of a file that only a newer version of Holdfast can read; null for any other. */
export function newerFormat(stored: unknown): TemplateFormat | null {
  const found = formatOf(stored);
  return found !== null && found.format > newestFormat ? found : null;
}
