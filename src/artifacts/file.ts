import type { Artifact } from "../model/artifact.ts";
import { decode } from "./decode.ts";
import { type Absence, type Content, hashOf, refused } from "./loaded.ts";
import { locate, type PathWorld, type Place } from "./locate.ts";
import { readFileBytes } from "./steady-file.ts";

export function loadFile({ load }: Pick<Artifact, "load">, written: string, world: PathWorld): Content | Absence {
  const place = locate(written, world);
  if (place.status !== "there") return place;
  return readContent(place, load !== "pointer");
}

/** A file's text and what identifies it. For a pointer it may be anything, as nobody reads it. */
export function readContent({ real, shown }: Place, asText: boolean): Content | Absence {
  const file = readFileBytes(real);
  if (!file.ok) return refused(`${shown} ${file.problem}`, shown);
  const facts = { path: shown, bytes: file.bytes.length, hash: hashOf(file.bytes), leftOutBytes: 0 };
  if (!asText) return { status: "found", text: "", ...facts, notes: [] };
  const decoded = decode(file.bytes);
  if (!decoded.ok) return refused(`${shown} ${decoded.problem}; load: pointer tells where it is`, shown);
  return { status: "found", text: decoded.text, ...facts, notes: decoded.notes };
}
