import { createHash } from "node:crypto";

const longest = 50;

/**
 * A name as a part of a path: a to z, digits and dashes. Where more than case and punctuation is lost,
 * a short hash makes up for it, so that none is empty and names in other scripts stay apart.
 */
export function slugOf(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  if (/^[\x20-\x7e]*$/.test(name) && plain !== "" && plain.length <= longest) return plain;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 6);
  const short = plain.slice(0, longest - hash.length - 1).replace(/-+$/, "");
  return short === "" ? `w-${hash}` : `${short}-${hash}`;
}
