/** What each error carries. The one place a code is born; its wording sits beside it below. */
export interface ErrorData {
  "file-unreadable": { readonly file: string; readonly problem: string };
  "file-unwritable": { readonly file: string; readonly problem: string };
  "version-conflict": { readonly run: string; readonly expected: number };
  "journal-corrupt": { readonly run: string; readonly line: number; readonly problem: string };
  "journal-rewound": { readonly run: string; readonly found: number; readonly known: number };
  "format-newer": { readonly file: string; readonly format: number };
  "state-broken": { readonly file: string; readonly problem: string };
  "git-failed": { readonly what: string; readonly problem: string };
}

export type ErrorCode = keyof ErrorData;

type Wording<C extends ErrorCode> = (data: ErrorData[C]) => readonly [message: string, next: string];

const wordings: { readonly [C in ErrorCode]: Wording<C> } = {
  "file-unreadable": (d) => [`cannot read ${d.file}: ${d.problem}`, "check the path and its permissions"],
  "file-unwritable": (d) => [
    `cannot write ${d.file}: ${d.problem}; nothing was changed`,
    "make room or give access, then try again",
  ],
  "version-conflict": (d) => [`the run ${d.run} moved past version ${d.expected}`, "read it again and retry"],
  "journal-corrupt": (d) => [
    `the journal of ${d.run} is damaged in line ${d.line}: ${d.problem}`,
    `holdfast repair ${d.run}`,
  ],
  "journal-rewound": (d) => [
    `the journal of ${d.run} ends at version ${d.found}, but version ${d.known} was written before`,
    `bring the newer journal back, or accept the older one with holdfast repair ${d.run}`,
  ],
  "format-newer": (d) => [`${d.file} has format ${d.format}, which this version does not know`, "update Holdfast"],
  "state-broken": (d) => [`${d.file}: ${d.problem}`, "bring the file back, or start a new run"],
  "git-failed": (d) => [`${d.what} failed: ${d.problem}`, "see that git reaches the remote by itself, then try again"],
};

/** The world failed: a file, a disk, another program. A no from the engine is a refusal, not this. */
export class HoldfastError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = "HoldfastError";
  readonly code: C;
  readonly data: ErrorData[C];
  readonly next: string;

  constructor(code: C, data: ErrorData[C], options?: ErrorOptions) {
    const [message, next] = wordings[code](data);
    super(message, options);
    this.code = code;
    this.data = data;
    this.next = next;
  }
}

/** Narrows by code, and works across duplicated copies of this package. */
export function isHoldfastError<C extends ErrorCode>(error: unknown, code?: C): error is HoldfastError<C> {
  if (!(error instanceof Error) || error.name !== "HoldfastError" || !("code" in error)) return false;
  return code === undefined || error.code === code;
}

/** Every code with one line on when it comes, for the reference. */
export const errorSummaries: Readonly<Record<ErrorCode, string>> = {
  "file-unreadable": "A file cannot be read.",
  "file-unwritable":
    "A file cannot be written: the disk is full, the folder is read-only, or the like. Nothing was changed.",
  "version-conflict": "Another process was faster, again and again.",
  "journal-corrupt": "A line of a journal is not what was written. The file is left as it is.",
  "journal-rewound": "A journal is older than what was known of it: someone restored an old copy.",
  "format-newer": "A file was written by a newer Holdfast.",
  "state-broken": "A file beside the journal does not hold what it should.",
  "git-failed": "Git could not do what was asked of it: no network, no access, no git.",
};
