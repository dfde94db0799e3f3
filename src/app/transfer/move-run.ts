import { HoldfastError } from "../../errors.ts";
import type { Head, SharedStore } from "../../store/store.ts";

/** Moves one run to another store. Returns "nothing" for what is no run. */
export type MoveRun = (runId: string) => Promise<"moved" | "same" | "nothing">;

/** Neither side continues the other. */
export function differs({ where }: SharedStore, run: string, here: Head | undefined, there: Head): HoldfastError {
  return new HoldfastError("store-differs", { run, where, here: shortHead(here), there: shortHead(there) });
}

function shortHead(head: Head | undefined): string {
  return head === undefined ? "nothing" : `version ${head.version} (${head.id.slice(0, 12)})`;
}
