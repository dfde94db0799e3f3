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

interface TurnFile {
  /** What the agent works on now. */
  readonly turn: DrivenTurn | null;
  /** Results that count when a person has acted. In a loop with parallel tasks there may be several. */
  readonly kept: readonly DrivenTurn[];
}

export async function readTurn(deps: Pick<Deps, "files">, run: string): Promise<DrivenTurn | null> {
  return (await readFile(deps, run)).turn;
}

/** The turn of a visit, under way or kept. */
export async function findTurn(deps: Pick<Deps, "files">, run: string, token: string): Promise<DrivenTurn | null> {
  const { turn, kept } = await readFile(deps, run);
  const own = [turn, ...kept].filter((each) => each?.token === token);
  return own.find((each) => each?.result !== undefined) ?? own[0] ?? null;
}

/** `open` are the tokens of the visits that are open now; what was kept of others is void. */
export async function beginTurn(deps: FileDeps, run: string, token: string, open: readonly string[]): Promise<void> {
  const { kept } = await readFile(deps, run);
  const valid = kept.filter((each) => each.token !== token && open.includes(each.token));
  writeFile(deps, run, { turn: { token }, kept: valid });
}

/** Replaces the turn that is under way. */
export async function writeTurn(deps: FileDeps, run: string, turn: DrivenTurn): Promise<void> {
  writeFile(deps, run, { turn, kept: (await readFile(deps, run)).kept });
}

/** Keeps a result until a person has acted; the agent can have another turn meanwhile. */
export async function keepTurn(deps: FileDeps, run: string, turn: DrivenTurn): Promise<void> {
  const { kept } = await readFile(deps, run);
  writeFile(deps, run, { turn: null, kept: [...kept.filter(({ token }) => token !== turn.token), turn] });
}

/** Nothing is under way any more, and nothing is kept of this visit. */
export async function endTurn(deps: FileDeps, run: string, token: string): Promise<void> {
  const { kept } = await readFile(deps, run);
  writeFile(deps, run, { turn: null, kept: kept.filter((each) => each.token !== token) });
}

export function forgetTurns({ files }: Pick<Deps, "files">, run: string): void {
  files.remove(run, fileName);
}

async function readFile({ files }: Pick<Deps, "files">, run: string): Promise<TurnFile> {
  const value = parseJson((await files.read(run, fileName)) ?? "");
  if (!isRecord(value)) return { turn: null, kept: [] };
  return { turn: isTurn(value) ? value : null, kept: Array.isArray(value.kept) ? value.kept.filter(isTurn) : [] };
}

/** Only we write it, each time as a whole; what is in a result is checked when it is used. */
function isTurn(value: unknown): value is DrivenTurn {
  return isRecord(value) && typeof value.token === "string" && (value.result === undefined || isRecord(value.result));
}

type FileDeps = Pick<Deps, "files" | "caller">;

/** Results stay on disk for as long as a person takes to act, so they are written without secrets. */
function writeFile({ files, caller }: FileDeps, run: string, { turn, kept }: TurnFile): void {
  const clean = (each: DrivenTurn) => ({ ...each, result: withoutSecrets(caller.env, each.result) });
  const file = { ...(turn !== null && clean(turn)), ...(kept.length > 0 && { kept: kept.map(clean) }) };
  if (Object.keys(file).length === 0) files.remove(run, fileName);
  else files.write(run, fileName, `${JSON.stringify(file)}\n`, "quick");
}
