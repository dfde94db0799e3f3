import type { RefusalFacts } from "./refusal-facts.ts";
import { refusalWords } from "./refusal-words.ts";
import type { Face, Next } from "./wording.ts";

export type RefusalCode = keyof RefusalFacts;

/** Why a command was declined. Refusals are values: they are returned, never thrown. */
export type Refusal = { [C in RefusalCode]: { readonly code: C } & RefusalFacts[C] }[RefusalCode];

export interface RefusalWording {
  readonly message: string;
  readonly next: string;
}

/** A refusal as text: what happened, and what to do next in the commands or tools that the reader has. */
export function wordRefusal(refusal: Refusal, face: Face = "cli"): RefusalWording {
  // TypeScript cannot see that the entry for `refusal.code` takes exactly these facts.
  const word = refusalWords[refusal.code].word as (facts: Refusal) => readonly [string, Next];
  const [message, next] = word(refusal);
  return { message, next: typeof next === "string" ? next : next[face] };
}

/** Every code with one line on when it occurs, for docs/errors.md. */
export const refusalSummaries: readonly (readonly [RefusalCode, string])[] = Object.entries(refusalWords).map(
  ([code, { when }]) => [code as RefusalCode, when],
);
