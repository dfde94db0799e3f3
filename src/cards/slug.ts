import { sha256Hex } from "../platform/files.ts";
import { instantOf } from "./read-fields.ts";

const longest = 50;

/**
 * Turns a name into a path segment of a to z, digits and dashes. If more than case and punctuation is lost, a short hash
 * is appended, so that no slug is empty and names in other scripts stay distinct.
 */
export function slugOf(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  if (/^[\x20-\x7e]*$/.test(name) && plain !== "" && plain.length <= longest) return plain;
  const hash = sha256Hex(name).slice(0, 6);
  const short = plain.slice(0, longest - hash.length - 1).replace(/-+$/, "");
  return short === "" ? `w-${hash}` : `${short}-${hash}`;
}

/** An ISO 8601 time in the form that file names use: `20261114_143052`, in UTC. */
export function fileTimestamp(time: string): string {
  const [date = "", clock = ""] = new Date(instantOf(time) ?? 0).toISOString().split(/[T.]/);
  return `${date.replaceAll("-", "")}_${clock.replaceAll(":", "")}`;
}
