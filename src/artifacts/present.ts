import type { Artifact } from "../model/artifact.ts";
import { createExcerpt, longestExcerpt } from "./excerpt.ts";
import type { Content, Outcome, Shortened } from "./loaded.ts";
import { summarize } from "./summarize.ts";

const largestFull = 256 * 1024;
const largestHeadAndTail = 16 * 1024;
const large = 32 * 1024;

/** Applies `load`: shows all of an artifact, both ends, a summary or only a pointer. Whatever is left out is noted. */
export function present(
  { type, load = "full", max_bytes, required }: Pick<Artifact, "type" | "load" | "max_bytes" | "required">,
  { text, path, bytes, hash, notes, leftOutBytes }: Content,
  known: string | null,
): Outcome {
  if (known === hash) return { status: "skipped", reason: "unchanged" };
  const size = Buffer.byteLength(text);
  const pointer = (reason: string): Outcome => ({ status: "pointer", path, bytes, hash, reason });
  const loaded = (shown: string, shortened: Shortened | null): Outcome => {
    const all = shortened === null && size > large ? [...notes, largeNote] : notes;
    return { status: "loaded", text: shown, path, bytes, hash, notes: all, shortened };
  };
  switch (load) {
    case "pointer":
      return pointer("it is loaded as a pointer");
    case "summary":
      return loaded(summarize(type, text), { type: "summary", leftOutBytes: bytes });
    case "head_tail": {
      const cut = headAndTail(text, max_bytes ?? largestHeadAndTail);
      return loaded(cut.text, cut.leftOutBytes === 0 ? null : { type: "head_tail", leftOutBytes: cut.leftOutBytes });
    }
    case "full":
      // A command's output was already cut to the same limit.
      if (leftOutBytes > 0) return loaded(text, { type: "tail", leftOutBytes });
      if (size <= (max_bytes ?? largestFull)) return loaded(text, null);
      if (required !== true) return pointer(`it is larger than ${max_bytes ?? largestFull} bytes`);
      return loaded(createExcerpt(type, text)(Math.min(longestExcerpt, max_bytes ?? longestExcerpt)), {
        type: "excerpt",
        leftOutBytes: bytes,
      });
  }
}

const largeNote = "it is large; consider load: head_tail, summary or pointer";

/** Both ends of a text, cut at character boundaries, with the number of bytes left out. */
function headAndTail(text: string, most: number): { readonly text: string; readonly leftOutBytes: number } {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return { text, leftOutBytes: 0 };
  const half = Math.floor(most / 2);
  const headEnd = characterAt(bytes, half, -1);
  const tailStart = characterAt(bytes, bytes.length - half, 1);
  const leftOutBytes = tailStart - headEnd;
  const [head, tail] = [bytes.toString("utf8", 0, headEnd), bytes.toString("utf8", tailStart)];
  return { text: `${head}\n[${leftOutBytes} bytes left out]\n${tail}`, leftOutBytes };
}

/** The nearest character boundary in a direction. */
function characterAt(bytes: Uint8Array, start: number, direction: 1 | -1): number {
  let at = start;
  while (((bytes[at] ?? 0) & 0xc0) === 0x80) at += direction;
  return at;
}
