import { HoldfastError } from "../errors.ts";
import type { Head, SharedStore } from "./store.ts";

interface Heads {
  readonly here: Head | undefined;
  readonly there: Head | undefined;
}

/** The shared store lacks commits that it has acknowledged; `isBehind` if the copy continues what it has. */
export function rewound(
  { where }: SharedStore,
  run: string,
  { here, there, isBehind }: Heads & { readonly isBehind: boolean },
): HoldfastError {
  const last = there === undefined ? null : headText(there);
  return new HoldfastError("store-rewound", { run, where, here: headText(here), there: last, isBehind });
}

/** A run is not moved, because neither side continues the other. */
export function differs({ where }: SharedStore, run: string, { here, there }: Heads): HoldfastError {
  return new HoldfastError("store-differs", { run, where, here: headText(here), there: headText(there) });
}

/** What a restore of some tables leaves. */
export function contradiction(where: string, about: string): HoldfastError {
  return new HoldfastError("store-refused", {
    where,
    problem: `its tables runs and commits disagree about ${about}`,
    fix: "restore all tables of Holdfast from one backup, or where a machine has a whole copy: holdfast store migrate --to postgres",
    isAsked: true,
    isOfOneRun: true,
  });
}

function headText(head: Head | undefined): string {
  return head === undefined ? "nothing" : `version ${head.version} (${head.id.slice(0, 12)})`;
}
