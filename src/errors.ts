/** Every error code with its data. A new code starts here and in `wordings` below. */
export interface ErrorData {
  "file-unreadable": { readonly file: string; readonly problem: string };
  "file-unwritable": { readonly file: string; readonly problem: string };
  "version-conflict": { readonly run: string; readonly expected: number };
  "journal-corrupt": {
    readonly run: string;
    readonly line: number;
    readonly problem: string;
    /** The database, if it is the journal there. */
    readonly where?: string;
  };
  "journal-rewound": { readonly run: string; readonly found: number; readonly known: number };
  "format-newer": {
    readonly file: string;
    readonly format: number;
    /** The version that reads it, if the file names one. */
    readonly needs?: string;
  };
  /** `fix` is what to do where a new run would not help. */
  "state-broken": { readonly file: string; readonly problem: string; readonly fix?: string };
  "run-tracked": {
    readonly run: string;
    /** Why git's index cannot tell where the run came from, if it cannot. */
    readonly problem?: string | undefined;
  };
  "run-is-copy": { readonly run: string };
  "git-failed": { readonly what: string; readonly problem: string };
  "store-unreachable": {
    readonly where: string;
    readonly problem: string;
    /** "no" only if it is certain that nothing was stored, nor will be: then the same call can be repeated. */
    readonly committed: "no" | "unknown";
    /** Set if the server was not waited for any longer. */
    readonly after?: "timeout" | "interruption";
  };
  "store-refused": {
    /** Null if the address of the database cannot be understood. */
    readonly where: string | null;
    readonly problem: string;
    /** What to do about this problem. */
    readonly fix?: string;
    /** Whether it is the server that refuses, although `fix` is set. */
    readonly isAsked?: true;
    /** Whether it is about one run, and others may be in order. */
    readonly isOfOneRun?: true;
  };
  "store-schema": {
    readonly where: string;
    /** 0 if there are no tables yet. */
    readonly found: number;
    readonly known: number;
    /** The version of Holdfast that knows the schema, if the database names one. */
    readonly needs?: string;
    /** What somebody has dropped from tables of the right version. */
    readonly missing?: string;
  };
  "store-driver-missing": { readonly driver: string };
  /** The last commit of the journal here, and of the database. */
  "store-differs": { readonly run: string; readonly where: string; readonly here: string; readonly there: string };
  "settings-broken": { readonly problem: string };
  /** `file` is where the user's own settings are. */
  "store-unconfigured": { readonly file: string };
  /** `project` is its name in quotation marks. */
  "store-unconfirmed": { readonly project: string };
  /** When it was removed. */
  "run-removed": { readonly run: string; readonly where: string; readonly at: string };
  "store-rewound": {
    readonly run: string;
    readonly where: string;
    /** The last commit of the copy, and of the database. */
    readonly here: string;
    /** Null if it has nothing of the run. */
    readonly there: string | null;
    /** Whether the copy has everything that the database has, and more. */
    readonly isBehind: boolean;
  };
  /** `of` is the project that the run belongs to, if it is shared in another one. */
  "run-not-shared": { readonly run: string; readonly project: string; readonly of?: string };
}

export type ErrorCode = keyof ErrorData;

type Wording<C extends ErrorCode> = (data: ErrorData[C]) => readonly [message: string, next: string];

const wordings: { readonly [C in ErrorCode]: Wording<C> } = {
  "file-unreadable": (d) => [`cannot read ${d.file}: ${d.problem}`, "check the path and its permissions"],
  "file-unwritable": (d) => [
    `cannot write ${d.file}: ${d.problem}; nothing was changed`,
    /link/.test(d.problem)
      ? "remove the link, then try again"
      : "free some space or grant write access, then try again",
  ],
  "version-conflict": (d) => [
    `the run ${d.run} has moved past version ${d.expected}`,
    "read the run again, then retry",
  ],
  "journal-corrupt": (d) =>
    d.where === undefined
      ? [`the journal of ${d.run} is damaged in line ${d.line}: ${d.problem}`, `holdfast repair ${d.run}`]
      : [
          `the journal of ${d.run} in the database at ${d.where} is damaged in line ${d.line}: ${d.problem}`,
          `restore it from a backup, or where a machine has a whole copy: holdfast store migrate --to postgres; to give it up: holdfast rm ${d.run}`,
        ],
  "journal-rewound": (d) =>
    d.found === 0
      ? [
          `the journal of ${d.run} is empty or missing, but version ${d.known} was written before`,
          `restore it from a backup, or give the run up with: holdfast rm ${d.run}`,
        ]
      : [
          `the journal of ${d.run} ends at version ${d.found}, but version ${d.known} was written before`,
          `restore the newer journal, or accept the older one with: holdfast repair ${d.run}`,
        ],
  "format-newer": (d) => [
    `${d.file} has format ${d.format}, which this version of Holdfast cannot read`,
    d.needs === undefined ? "update Holdfast" : `update Holdfast to version ${d.needs} or later`,
  ],
  "state-broken": (d) => [`${d.file}: ${d.problem}`, d.fix ?? "restore the file, or start a new run"],
  "run-tracked": (d) => [
    `the run ${d.run} is not used: ${d.problem === undefined ? "git tracks its files, so it came" : `${d.problem}, so it may have come`} with the repository`,
    d.problem === undefined
      ? `a person who knows it as their own run can take it out of git: git rm -r --cached .holdfast/runs/${d.run}`
      : "fix git's index, then try again",
  ],
  "run-is-copy": (d) => [
    `the run ${d.run} lives in a shared store, and its journal here is a copy; nothing was changed`,
    `to work on it there, let .holdfast/config.yaml say "store: postgres" again; from there it can be brought back: holdfast store migrate --to files; if somebody has done so on another machine, the run is there; the copy is removed with: holdfast rm ${d.run}`,
  ],
  "git-failed": (d) => [`${d.what} failed: ${d.problem}`, "check that git itself can reach the remote, then try again"],
  "store-unreachable": (d) =>
    d.committed === "no"
      ? [
          `the database at ${d.where} cannot be reached: ${d.problem}; nothing was changed`,
          "check the server and the network, then try again",
        ]
      : [
          `the database at ${d.where} has not answered: ${d.problem}; the change may have been stored or not`,
          "check the server and the network, then read the run again before you repeat the change",
        ],
  "store-refused": (d) => [
    d.where === null
      ? `the address of your database ${d.problem}; nothing was changed`
      : `the database at ${d.where} ${d.fix === undefined || d.isAsked ? "refuses" : "was not asked"}: ${d.problem}; nothing was changed`,
    d.fix ?? "check the user, the password, the name of the database and the rights of the user",
  ],
  "store-schema": (d) =>
    d.missing === undefined
      ? [
          d.found === 0
            ? `the database at ${d.where} has no tables of Holdfast`
            : `the tables in the database at ${d.where} have version ${d.found}, and this version of Holdfast needs ${d.known}`,
          d.found <= d.known
            ? "create or migrate them as the owner of the database: holdfast store init"
            : `update Holdfast${d.needs === undefined ? "" : ` to version ${d.needs} or later`}`,
        ]
      : [
          `the tables in the database at ${d.where} ${d.found === 0 ? "are there" : `have version ${d.found}`}, but ${d.missing} is missing; nothing was changed`,
          "restore the whole schema holdfast from a backup",
        ],
  "store-driver-missing": (d) => [
    `the package ${d.driver}, which connects to the database, is not installed beside Holdfast; the database was not asked`,
    `install it where Holdfast is installed: npm install ${d.driver} (npm install -g ${d.driver} if Holdfast is global)`,
  ],
  "store-differs": (d) => [
    `the run ${d.run} has ${d.here} here and ${d.there} in the database at ${d.where}, and neither continues the other; it was not moved`,
    `keep the side that counts: move the folder .holdfast/runs/${d.run} away, or remove the run from the database`,
  ],
  "settings-broken": (d) => [
    `it is not clear where the runs of this project are: ${d.problem}`,
    "fix the settings, then try again",
  ],
  "store-unconfigured": (d) => [
    "you have named no database for the runs of this project; nothing was changed",
    `set HOLDFAST_DATABASE_URL, or write "database: postgres://user:password@host:5432/name" into ${d.file}`,
  ],
  "store-unconfirmed": (d) => [
    `this repository wants its runs in the project ${d.project} of your database, which no person has confirmed here; the database was not asked`,
    "if that is right, a person confirms it: holdfast store confirm",
  ],
  "run-removed": (d) => [
    `the run ${d.run} was removed from the database at ${d.where}, at ${d.at}; only the copy here is left`,
    `remove the copy: holdfast rm ${d.run}; to keep it, first take "store: postgres" out of .holdfast/config.yaml and run: holdfast export ${d.run}`,
  ],
  "store-rewound": (d) =>
    d.there === null
      ? [
          `the database at ${d.where} does not have the run ${d.run} any more, and the copy here has ${d.here}; ` +
            "the database may have been restored from an old backup, or be another one than before; nothing was changed",
          "name the right database, restore a newer backup, or store what the copy has: holdfast store migrate --to postgres",
        ]
      : [
          `the database at ${d.where} has ${d.there} of the run ${d.run}, and the copy here has ${d.here}; ` +
            `${d.isBehind ? "a Holdfast that does not know the database may have written to the copy, or " : ""}the database may have been restored from an old backup; nothing was changed`,
          d.isBehind
            ? "store what the copy has: holdfast store migrate --to postgres; or restore a newer backup"
            : `restore a newer backup, or move the folder .holdfast/runs/${d.run} away to go on with what the database has`,
        ],
  "run-not-shared": (d) =>
    d.of === undefined
      ? [
          `the run ${d.run} is in files here, and was not moved to the shared store; nothing was changed`,
          "move it there: holdfast store migrate --to postgres",
        ]
      : [
          `the run ${d.run} belongs to the project ${d.of} of the shared store, and this is ${d.project}; nothing was changed`,
          `set the project in .holdfast/config.yaml to ${d.of} to work on it`,
        ],
};

/** A system error: a file, a disk or another program failed. When the engine declines, it returns a refusal instead. */
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

/** Narrows by code. Checks the name rather than the class, so that it works across duplicate copies of this package. */
export function isHoldfastError<C extends ErrorCode>(error: unknown, code?: C): error is HoldfastError<C> {
  if (!(error instanceof Error) || error.name !== "HoldfastError" || !("code" in error)) return false;
  return code === undefined || error.code === code;
}

/** Whether somebody gave up waiting, so that nothing should be done in place of what was asked. */
export function isInterruption(error: unknown): boolean {
  return isHoldfastError(error, "store-unreachable") && error.data.after === "interruption";
}

/** Every code with one line on when it occurs, for docs/errors.md. */
export const errorSummaries: Readonly<Record<ErrorCode, string>> = {
  "file-unreadable": "A file cannot be read.",
  "file-unwritable": "A file cannot be written, for example because the disk is full. Nothing was changed.",
  "version-conflict": "Other processes kept changing the run first, and the retries ran out.",
  "journal-corrupt": "A line of a journal is damaged. The file is left as it is.",
  "journal-rewound": "A journal is older than expected: someone restored an old copy.",
  "format-newer": "A file was written by a newer version of Holdfast.",
  "state-broken": "A file next to the journal is missing or has the wrong content.",
  "run-tracked": "A run came with the repository: git tracks its files. It is neither continued nor restored.",
  "run-is-copy": "A run lives in a shared store. Its journal here is a copy, which is read and never advanced.",
  "git-failed": "A git command failed: no network, no access, or git is not installed.",
  "store-unreachable":
    "The database cannot be reached, or has not answered. The message says whether something may have been stored.",
  "store-refused":
    "The database refuses: wrong password, no such database, missing rights; or its address cannot be used. Nothing was changed.",
  "store-schema": "The tables in the database are missing, or belong to another version of Holdfast.",
  "store-driver-missing": "A package that the configured store needs is not installed.",
  "store-differs": "A run is not moved, because the journal here and the database have diverged.",
  "settings-broken": "The project's settings name a store but cannot be read, so no store is used.",
  "store-unconfigured": "The project keeps its runs in a database, and the user has not named one.",
  "store-unconfirmed":
    "A repository names a project in the user's database that no person has confirmed. The database is not asked.",
  "run-removed": "Somebody has removed a run from the shared store. Only a copy of it is left here.",
  "store-rewound":
    "The database lacks commits of a run that it once acknowledged: it was restored from an old backup. The copy here has them.",
  "run-not-shared":
    "A run is only in files here, or in another project of the shared store, so it cannot be continued.",
};
