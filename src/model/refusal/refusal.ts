import type { RefusalFacts } from "./refusal-facts.ts";
import { refusalWords } from "./refusal-words.ts";

export type RefusalCode = keyof RefusalFacts;

/** Why the engine declined. A refusal is an answer, not a failure: it is returned, never thrown. */
export type Refusal = { [C in RefusalCode]: { readonly code: C } & RefusalFacts[C] }[RefusalCode];

export interface RefusalWording {
  readonly message: string;
  readonly next: string;
}

/** The same refusal for a reader: what is wrong, and what to do next. */
export function wordRefusal(refusal: Refusal): RefusalWording {
  // The table is indexed by the very code that the facts belong to, which the compiler cannot follow.
  const word = refusalWords[refusal.code].word as (facts: Refusal) => readonly [string, string];
  const [message, next] = word(refusal);
  return { message, next };
}

/** Every code with one line on when it comes, for the reference. */
export const refusalSummaries: readonly (readonly [RefusalCode, string])[] = Object.entries(refusalWords).map(
  ([code, { when }]) => [code as RefusalCode, when],
);
