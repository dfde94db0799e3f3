import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { CountTokens } from "./conversation/scale.ts";

/**
 * How many tokens a provider may count for one token of o200k. A conservative initial value; the usage that the
 * provider reports corrects it after the first reply.
 */
const margins = { openai: 1.02, anthropic: 1.35, google: 1.15, other: 1.25 } as const;

export type Provider = keyof typeof margins;

/** Input may look like special tokens of the model; treat it as plain text. */
const plain = { disallowedSpecial: new Set<string>() };
/** The tokenizer is quadratic in the length of a run without breaks, so long runs are split. */
const longRuns: readonly (readonly [RegExp, string])[] = [
  [/\S{128}/gu, "$& "],
  [/\s{128}/gu, "$&."],
];

/** Counts tokens with a real tokenizer (o200k), plus a margin for providers that use another one. */
export function createTokenCounter(provider: Provider = "other"): CountTokens {
  const margin = margins[provider];
  return (text) => {
    const broken = longRuns.reduce((words, [run, apart]) => words.replace(run, apart), text);
    return Math.ceil(countTokens(broken, plain) * margin);
  };
}
