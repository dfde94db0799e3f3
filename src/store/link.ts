import { isHoldfastError } from "../errors.ts";
import { noteReached, noteUnreachable } from "./reach.ts";

/** The way to the shared store, and what is known of it. */
export interface Link {
  /** Always tries. */
  try<T>(act: () => Promise<T>): Promise<T>;
  /** Fails at once if the server could not be reached a moment ago: nobody should wait for each question. */
  ask<T>(act: () => Promise<T>): Promise<T>;
}

export function createLink(state: string, retryAfter: number): Link {
  let failed: { readonly error: unknown; readonly at: number } | null = null;

  async function attempt<T>(act: () => Promise<T>): Promise<T> {
    try {
      const result = await act();
      reached();
      return result;
    } catch (error) {
      if (!isHoldfastError(error, "store-unreachable")) reached();
      else {
        failed = { error, at: Date.now() };
        noteUnreachable(state, new Date().toISOString());
      }
      throw error;
    }
  }

  let noted = 0;
  function reached(): void {
    const now = Date.now();
    if (failed === null && now - noted < noteEvery) return;
    [failed, noted] = [null, now];
    noteReached(state, new Date(now).toISOString());
  }

  return {
    try: attempt,
    async ask(act) {
      if (failed !== null && Date.now() - failed.at < retryAfter) throw failed.error;
      return attempt(act);
    },
  };
}

/** In milliseconds. */
const noteEvery = 60_000;
