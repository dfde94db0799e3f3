import type { AdvanceCommand } from "../../model/command.ts";
import { isRecord, parseJson } from "../../model/json.ts";
import type { Deps } from "../../operation/operation.ts";
import { withoutSecrets } from "../privacy/portable-text.ts";

/** The turn that a runner has given to its agent, in a file beside the journal. */
export interface DrivenTurn {
  /** The visit that the agent works on. */
  readonly token: string;
  /** How the agent has ended it. The runner carries that out after the turn. */
  readonly result?: SubmittedResult;
  /** The result was sent, and counts once a person has approved it. */
  readonly forApproval?: true;
}

export type SubmittedResult = Pick<AdvanceCommand, "output" | "outcome" | "failed" | "variables" | "artifacts">;

/** The environment variable of everything that a driven agent starts: the id of the run. */
export const drivenVariable = "HOLDFAST_DRIVEN";

const fileName = "turn.json";

export async function readTurn({ files }: Pick<Deps, "files">, run: string): Promise<DrivenTurn | null> {
  const value = parseJson((await files.read(run, fileName)) ?? "");
  if (!isRecord(value) || typeof value.token !== "string") return null;
  // Only we write it, each time as a whole; what is in a result is checked when it is used.
  return value.result === undefined || isRecord(value.result) ? (value as unknown as DrivenTurn) : null;
}

/** The result stays on disk for as long as a person takes to approve it, so it is written without secrets. */
export function writeTurn({ files, caller }: Pick<Deps, "files" | "caller">, run: string, turn: DrivenTurn): void {
  const kept = turn.result === undefined ? turn : { ...turn, result: withoutSecrets(caller.env, turn.result) };
  files.write(run, fileName, `${JSON.stringify(kept)}\n`, "quick");
}

export function endTurn({ files }: Pick<Deps, "files">, run: string): void {
  files.remove(run, fileName);
}
