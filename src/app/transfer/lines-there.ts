import { isHoldfastError } from "../../errors.ts";
import type { Head, SharedStore } from "../../store/store.ts";

/**
 * What the shared store has of a run whose commit `upTo` is its last there, and is here: all lines up to it; only lines that
 * are here, but some too few, too many or damaged; or one that is not here.
 */
export async function linesThere(
  shared: SharedStore,
  runId: string,
  here: readonly Head[],
  upTo: number,
): Promise<"whole" | "damaged" | "foreign"> {
  let isWhole = true;
  let next = 1;
  for await (const { version, id } of eachLine(shared, runId)) {
    const known = here[version - 1];
    if (known === undefined || (id !== null && id !== known.id)) return "foreign";
    isWhole &&= version === next && id !== null;
    next = version + 1;
  }
  return isWhole && next === upTo + 1 ? "whole" : "damaged";
}

interface Line {
  readonly version: number;
  /** Null if it is damaged. */
  readonly id: string | null;
}

async function* eachLine(shared: SharedStore, runId: string): AsyncGenerator<Line> {
  for (let from = 1; ; ) {
    try {
      yield* shared.readLines(runId, from);
      return;
    } catch (error) {
      if (!isHoldfastError(error, "journal-corrupt")) throw error;
      const { line } = error.data;
      // It may only not fit to the one before, or to none.
      if (line > from) from = line;
      else {
        yield { version: line, id: null };
        from = line + 1;
      }
    }
  }
}
