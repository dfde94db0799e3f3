import { createDisarm, pivotTag } from "../model/look-alike.ts";
import { truncateHead } from "../model/truncate.ts";

const disarm = createDisarm(pivotTag);

/** How many code points of a carried text the state keeps; the journal has it whole. */
const longest = 2_000;

/** A text as it is carried: trimmed, cut with a mark, and unable to look like the tag that we put before it. */
export function carriedText(text: string): string {
  return truncateHead(disarm(text.replace(/\p{Surrogate}/gu, "\uFFFD").trim()), longest);
}
