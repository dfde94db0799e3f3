import type { Finding } from "../../hosts/contract/finding.ts";

/** Everything that was checked. */
export interface Report {
  readonly version: string;
  readonly node: string;
  readonly project: string;
  readonly parts: readonly Part[];
}

export interface Part {
  readonly title: string;
  readonly findings: readonly Finding[];
}
