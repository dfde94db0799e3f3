/** One thing that was looked at, and how to mend it where something is wrong. */
export interface Finding {
  readonly name: string;
  /** A note is worth knowing, and nothing has to be done about it. */
  readonly status: "well" | "note" | "mend";
  readonly message: string;
  readonly next?: string;
  /** What the message says in numbers, for a program. */
  readonly figures?: Readonly<Record<string, number>>;
}

export function well(name: string, message: string): Finding {
  return { name, status: "well", message };
}

export function mend(name: string, message: string, next: string): Finding {
  return { name, status: "mend", message, next };
}
