/** The result of one check, and how to fix it if something is wrong. */
export interface Finding {
  readonly name: string;
  /** These values are part of the JSON output. A note needs no action. */
  readonly status: "well" | "note" | "mend";
  readonly message: string;
  readonly next?: string;
  /** The numbers in the message, for programs. */
  readonly figures?: Readonly<Record<string, number>>;
}

export function well(name: string, message: string): Finding {
  return { name, status: "well", message };
}

export function mend(name: string, message: string, next: string): Finding {
  return { name, status: "mend", message, next };
}
