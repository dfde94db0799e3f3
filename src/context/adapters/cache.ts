import type { ModelMessage } from "../conversation/message.ts";

/** Whether a request carries marks for Anthropic's prompt cache, and how long an entry lives; by default five minutes. */
export type CacheOption = boolean | { readonly ttl: "5m" | "1h" };

export interface CacheControl {
  type: "ephemeral";
  ttl?: "5m" | "1h";
}

/** The mark that a cached block carries; null if nothing is to be cached. */
export function cacheControlOf(cache: CacheOption): CacheControl | null {
  if (cache === false) return null;
  return cache === true ? { type: "ephemeral" } : { type: "ephemeral", ttl: cache.ttl };
}

/**
 * How many turns of the user are marked, counted from the end. The last one is written to the cache for the next
 * request; the one before it is where this request finds what the previous one wrote. With the system prompt that
 * makes three marks of the four that Anthropic allows.
 */
export const markedTurns = 2;

export function isVolatile({ providerOptions }: ModelMessage): boolean {
  return providerOptions?.holdfast?.volatile === true;
}
