import { isUtf8 } from "node:buffer";

export type Decoded =
  | { readonly ok: true; readonly text: string; readonly notes: readonly string[] }
  | { readonly ok: false; readonly problem: string };

/** Decodes a file as UTF-8 or UTF-16 and normalizes its line endings; `notes` says what was changed. */
export function decode(bytes: Uint8Array): Decoded {
  const { encoding, notes } = encodingOf(bytes);
  const text = new TextDecoder(encoding).decode(bytes);
  if (text.includes("\0")) return { ok: false, problem: "is not text: it contains NUL bytes" };
  const hasReturns = text.includes("\r");
  return {
    ok: true,
    text: hasReturns ? text.replace(/\r\n?/g, "\n") : text,
    notes: hasReturns ? [...notes, "its CRLF line endings are shown as LF"] : notes,
  };
}

function encodingOf(bytes: Uint8Array): { readonly encoding: string; readonly notes: readonly string[] } {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return { encoding: "utf-16le", notes: ["it was read as UTF-16"] };
  if (first === 0xfe && second === 0xff) return { encoding: "utf-16be", notes: ["it was read as UTF-16"] };
  const mark = first === 0xef && second === 0xbb && third === 0xbf ? ["its byte order mark was removed"] : [];
  const broken = isUtf8(bytes) ? [] : ["it is not valid UTF-8; invalid bytes are shown as \uFFFD"];
  return { encoding: "utf-8", notes: [...mark, ...broken] };
}
