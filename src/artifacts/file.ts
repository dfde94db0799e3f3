import type { Artifact } from "../model/artifact.ts";
import { decode } from "./decode.ts";
import { type Absence, type Content, hashOf, refused } from "./loaded.ts";
import { locate, type PathContext, type Place } from "./locate.ts";
import { readFileBytes } from "./stable-read.ts";

export function loadFile({ load }: Pick<Artifact, "load">, written: string, context: PathContext): Content | Absence {
  const place = locate(written, context);
  if (place.status !== "there") return place;
  return readContent(place, load !== "pointer");
}

/** A file's text, size and hash. A pointer needs no text, so then the file may be binary. */
export function readContent({ real, shown }: Place, asText: boolean): Content | Absence {
  const file = readFileBytes(real);
  if (!file.ok) return refused(`${shown} ${file.problem}`, shown);
  const facts = { path: shown, bytes: file.bytes.length, hash: hashOf(file.bytes), leftOutBytes: 0 };
  if (!asText) return { status: "found", text: "", ...facts, notes: [] };
  const decoded = decode(file.bytes);
  if (!decoded.ok) return refused(`${shown} ${decoded.problem}; use load: pointer for it`, shown);
  return { status: "found", text: decoded.text, ...facts, notes: decoded.notes };
}
