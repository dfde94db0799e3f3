import { isUtf8 } from "node:buffer";

export type Decoded =
  | { readonly ok: true; readonly text: string; readonly notes: readonly string[] }
  | { readonly ok: false; readonly problem: string };

/** The text of a file, whatever program has saved it, with a note for everything that was changed on the way. */
export function decode(bytes: Uint8Array): Decoded {
  const { encoding, notes } = encodingOf(bytes);
  const text = new TextDecoder(encoding).decode(bytes);
  if (text.includes("\0")) return { ok: false, problem: "is not text: it has zero bytes" };
  const hasReturns = text.includes("\r");
  return {
    ok: true,
    text: hasReturns ? text.replace(/\r\n?/g, "\n") : text,
    notes: hasReturns ? [...notes, "its line ends were CRLF and are shown as LF"] : notes,
  };
}

function encodingOf(bytes: Uint8Array): { readonly encoding: string; readonly notes: readonly string[] } {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return { encoding: "utf-16le", notes: ["it was read as UTF-16"] };
  if (first === 0xfe && second === 0xff) return { encoding: "utf-16be", notes: ["it was read as UTF-16"] };
  const mark = first === 0xef && second === 0xbb && third === 0xbf ? ["its byte order mark was left out"] : [];
  const broken = isUtf8(bytes) ? [] : ["it is not all UTF-8; what could not be read is shown as \uFFFD"];
  return { encoding: "utf-8", notes: [...mark, ...broken] };
}
