/** One of each kind: escape, C1, separators, bidirectional controls, zero-width, fillers, tags, selectors. */
export const hidden: readonly string[] = [
  ..."\u001b\u0007\u009b\u2028\u2029\u202a\u202e\u2066\u2069\u200e\u200f\u061c\u200b\u200c\u200d\u2060\ufeff\u00ad",
  ..."\u034f\u115f\u3164\ufff9\ufe0f\u{e0001}\u{e0041}\u{e007f}\u{e0100}",
];

/** A text in which nobody needs any of them. */
export const foul = `a${hidden.map((each) => `${each}b`).join("")}`;
