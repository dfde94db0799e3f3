import type { HostName } from "./contract.ts";

/** An agent program, and the files of a project in which it is set up. */
export interface Host {
  readonly name: HostName;
  /** As people call it. */
  readonly title: string;
  readonly program: string;
  /** Its own folder, in a home and in a project. */
  readonly folder: string;
  readonly files: readonly HostFile[];
  /** What a person does when all is set up. */
  readonly next: string;
}

/** One file of a host: from its present text to its new one, and back. Texts come without a byte order mark. */
export interface HostFile {
  /** From the top of the project, with slashes. */
  readonly path: string;
  /** Puts in what is ours; null is a file that is not there. The same text comes back when all is in already. */
  putIn(text: string | null): Edited;
  /**
   * Takes out what is ours, and nothing else; null when nothing is left then. Where the original is known, what was
   * there before stays, even when it is empty.
   */
  takeOut(text: string, original: string | null): Edited<string | null>;
}

export type Edited<T = string> =
  | { readonly ok: true; readonly text: T; readonly note?: string }
  | { readonly ok: false; readonly problem: FileProblem };

/** Why a file cannot be edited. Lines and columns count from 1. */
export interface FileProblem {
  readonly line: number;
  readonly column: number;
  readonly problem: string;
}

export function problemAt(text: string, offset: number, problem: string): { ok: false; problem: FileProblem } {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { ok: false, problem: { line: before.length, column: (before.at(-1) ?? "").length + 1, problem } };
}
