import { isUtf8 } from "node:buffer";
import { positionsIn } from "./position.ts";
import type { Problem } from "./problem.ts";

/** Larger files are not workflows; parsing them would only waste time and memory. */
export const sizeLimit = 256 * 1024;

/** The text of a file, or why it cannot be read. */
export type FileText =
  | { readonly readable: true; readonly text: string }
  | { readonly readable: false; readonly problem: Problem };

export function readText(content: Uint8Array | string): FileText {
  if (content.length > sizeLimit) return unreadable(`is larger than ${sizeLimit / 1024} KiB`);
  if (typeof content === "string") return checked(content.replace(/^\uFEFF/, ""));
  if (isUtf16(content)) return unreadable("is UTF-16; save it as UTF-8");
  const text = new TextDecoder().decode(content);
  return isUtf8(content) ? checked(text) : unreadable("is not UTF-8 text; save it as UTF-8", text, text.indexOf("�"));
}

/** YAML allows no control characters, and its parser uses some of them internally. */
function checked(text: string): FileText {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the point.
  const offset = text.search(/[\0-\x08\x0B\x0C\x0E-\x1F\x7F]/);
  if (offset === -1) return { readable: true, text };
  const code = text.charCodeAt(offset).toString(16).toUpperCase().padStart(4, "0");
  return unreadable(`contains the control character U+${code}; a workflow is plain text`, text, offset);
}

function unreadable(problem: string, text = "", offset = 0): FileText {
  const position = positionsIn(text)(offset);
  return { readable: false, problem: { severity: "error", path: "", message: `the file ${problem}`, position } };
}

function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}
