import type { RunGraph } from "../../serve/contract/run-answers.ts";

/** Where the arrows of a step lead, in words, because nobody hears a line; null if there are none. */
export function leadsTo(step: string, edges: RunGraph["edges"]): string | null {
  const words = edges.flatMap(({ from, to, label }) =>
    from === step ? [label === null ? to : `${to} (${label})`] : [],
  );
  return words.length === 0 ? null : words.join(", ");
}
