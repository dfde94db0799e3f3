import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { CountTokens } from "./conversation/scale.ts";

/**
 * How many tokens a provider may count for one of o200k. A careful start, on the side of too many: the usage that the
 * provider reports corrects it from the first reply on.
 */
const margins = { openai: 1.02, anthropic: 1.35, google: 1.15, other: 1.25 } as const;

export type Provider = keyof typeof margins;

/** Words from outside may look like the model's own signs; here they are plain text. */
const plain = { disallowedSpecial: new Set<string>() };
/** The tokenizer's time grows with the square of an unbroken run, so long runs are broken up. */
const longRuns: readonly (readonly [RegExp, string])[] = [
  [/\S{128}/gu, "$& "],
  [/\s{128}/gu, "$&."],
];

/** Counts tokens with a real tokenizer (o200k), with a margin for providers that have another. */
export function createTokenCounter(provider: Provider = "other"): CountTokens {
  const margin = margins[provider];
  return (text) => {
    const broken = longRuns.reduce((words, [run, apart]) => words.replace(run, apart), text);
    return Math.ceil(countTokens(broken, plain) * margin);
  };
}
