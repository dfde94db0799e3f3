export interface Search {
  readonly root: string;
  /** Paths of plain files as seen from the root, in the order in which matches are told. */
  readonly files: readonly string[];
  readonly pattern: string;
  readonly plain: boolean;
  /** How many matches to find. */
  readonly most: number;
  /** The largest file, in bytes. */
  readonly largest: number;
  readonly signal: AbortSignal;
}

export interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export type SearchResult =
  | { readonly ok: true; readonly matches: readonly Match[]; readonly notes: readonly string[] }
  | { readonly ok: false; readonly problem: string };
