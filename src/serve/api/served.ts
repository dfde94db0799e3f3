import type { OperationName } from "../../app/operations.ts";
import type { Level } from "../contract/contract.ts";

/** How an operation is served. What only reads is asked for with GET. */
export interface ServedOperation {
  readonly method: "GET" | "POST";
  readonly level: Level;
  /** Inputs that are not served, because they name files of the server. */
  readonly without?: readonly string[];
  /** It cannot be undone, or lets commands run: nobody is asked over HTTP, so the request must say that it is meant. */
  readonly needsYes?: true;
}

const read: ServedOperation = { method: "GET", level: "read" };
const agent: ServedOperation = { method: "POST", level: "agent" };
const person: ServedOperation = { method: "POST", level: "person" };

/**
 * The operations that are served. The others change files beside the runs, talk to remotes, or are for a terminal.
 */
export const served: { readonly [Name in OperationName]?: ServedOperation } = {
  status: read,
  overview: read,
  project: read,
  runs: read,
  sessions: read,
  log: read,
  show: read,
  list: read,
  lint: { ...read, without: ["files"] },
  schema: read,
  graph: read,
  template: read,
  workflow: read,
  board: read,
  inbox: read,
  costs: read,
  "run-graph": read,
  timeline: read,
  visit: read,
  handoff: read,
  diff: read,
  report: read,
  context: read,
  "run-files": read,

  next: agent,
  advance: agent,
  tasks: agent,
  ask: agent,
  todo: agent,
  artefacts: agent,

  start: person,
  approve: person,
  reject: person,
  answer: person,
  withdraw: person,
  decide: person,
  release: person,
  tell: person,
  pause: person,
  resume: person,
  abort: { ...person, needsYes: true },
  goto: person,
  reopen: person,
  reset: person,
  adopt: person,
  trust: person,
};

export function servedOperation(name: string): [OperationName, ServedOperation] | null {
  const found = Object.entries(served).find(([known]) => known === name);
  return found === undefined ? null : (found as [OperationName, ServedOperation]);
}
