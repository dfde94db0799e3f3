import { type HostFile, ownMark } from "../contract/host.ts";

/** A file that is ours as a whole. A file of the same name that somebody else wrote is left alone. */
export function ownFile(path: string, holds: HostFile["holds"] & string, own: string): HostFile {
  return {
    path,
    holds,
    putIn(text) {
      if (text === null || (text.includes(ownMark) && !isSame(text, own))) return { ok: true, text: own };
      if (isSame(text, own)) return { ok: true, text };
      return { ok: true, text, note: `${path} is not from Holdfast; it was not changed` };
    },
    takeOut: (text) => ({ ok: true, text: text.includes(ownMark) ? null : text }),
  };
}

/** A checkout may have changed the line endings. */
function isSame(text: string, own: string): boolean {
  return text.replaceAll("\r\n", "\n") === own;
}
