import { createDisarm, pivotTag } from "../model/look-alike.ts";
import { truncateHead } from "../model/truncate.ts";

const disarm = /* @__PURE__ */ createDisarm(pivotTag);

/** How many code points of a carried text the state keeps; the journal has the full text. */
const longest = 2_000;

/** Prepares a text to be carried: trimmed, truncated with a mark, and with look-alikes of our own tag disarmed. */
export function carriedText(text: string): string {
  return truncateHead(disarm(text.replace(/[\ud800-\udfff]/gu, "\uFFFD").trim()), longest);
}
