import { setTimeout as pause } from "node:timers/promises";
import { HoldfastError } from "../../errors.ts";
import type { RunEvent } from "../../model/event.ts";
import { checkedRunId } from "../../model/run-id.ts";
import { contradiction } from "../head-differences.ts";
import { longestLine, writeLine } from "../journal-line.ts";
import type { Attached, CopiedCommit, Foundation, StoredTemplate } from "../store.ts";
import { binaryArray } from "./binary-array.ts";
import { type GroupedCommit, longestInGroup } from "./commit-groups.ts";
import type { Database } from "./database.ts";
import { isUnanswered, isUnreachable } from "./failures.ts";
import { projectionValues } from "./projections.ts";
import type { Query, Statement } from "./query.ts";

/** What every append of a store needs. */
export interface Appender {
  readonly database: Database;
  readonly project: string;
  /** How long a commit without an answer is sent again, in milliseconds. */
  readonly patience: number;
  newWriter(): string;
  /** Sends it together with other commits of this store that wait to be sent. Whether it was stored. */
  storeInGroup(commit: GroupedCommit): Promise<boolean>;
  sendJobs(query: Query, jobs: readonly unknown[]): Promise<void>;
}

/**
 * One statement, and so one transaction: if the run is at the expected commit, it moves on, and the line, the projection and
 * the templates are stored; else nothing is. The row of the run is locked meanwhile, so writers of one version come one
 * after the other, and all but the first find that it has moved.
 */
const statementFor = (name: string, moved: string, hasTemplates: boolean): Statement => ({
  name: hasTemplates ? `${name}_with_templates` : name,
  text: `
    WITH moved AS (${moved} RETURNING version)${hasTemplates ? `, templates AS (${insertTemplates})` : ""}
    INSERT INTO holdfast.commits (project, run, version, id, line)
    SELECT $1, $2, moved.version, $4, $6 FROM moved`,
});

const insertTemplates = `
  INSERT INTO holdfast.templates (project, hash, content)
  SELECT $1, each.hash, each.content FROM moved, unnest($13::text[], $14::bytea[]) AS each (hash, content)
  ON CONFLICT DO NOTHING`;

const begin = `
  INSERT INTO holdfast.runs (project, run, version, head, projected, status, step, who, at, projection)
  SELECT $1, $2, $3::integer, $4, CASE WHEN $7::boolean THEN $3 ELSE 0 END,
         coalesce($8, ''), coalesce($9, ''), coalesce($10, ''), coalesce($11, ''), $12::json
  WHERE $5 = ''
  ON CONFLICT DO NOTHING`;

const move = `
  UPDATE holdfast.runs SET
    version = $3::integer, head = $4,
    projected = CASE WHEN $7::boolean THEN $3 ELSE projected END,
    status = coalesce($8, status), step = coalesce($9, step), who = coalesce($10, who), at = coalesce($11, at),
    projection = coalesce($12::json, projection)
  WHERE project = $1 AND run = $2 AND version = $3 - 1 AND head = $5`;

const beginRun = statementFor("holdfast_begin_run", begin, false);
const beginRunWithTemplates = statementFor("holdfast_begin_run", begin, true);
const moveRun = statementFor("holdfast_move_run", move, false);
const moveRunWithTemplates = statementFor("holdfast_move_run", move, true);

const selectId: Statement = {
  name: "holdfast_select_id",
  text: "SELECT id FROM holdfast.commits WHERE project = $1 AND run = $2 AND version = $3",
};

const selectAgreement: Statement = {
  name: "holdfast_select_agreement",
  text: `
    SELECT (run.version, run.head) IS NOT DISTINCT FROM (last.version, last.id) AS agree FROM (SELECT) AS one
    LEFT JOIN holdfast.runs AS run ON run.project = $1 AND run.run = $2
    LEFT JOIN (
      SELECT version, id FROM holdfast.commits WHERE project = $1 AND run = $2 ORDER BY version DESC LIMIT 1
    ) AS last ON true`,
};

export async function append(
  appender: Appender,
  run: string,
  expected: number,
  events: readonly RunEvent[],
  { on, attached }: { readonly on: Foundation | undefined; readonly attached: Attached },
): Promise<CopiedCommit> {
  const { database, project } = appender;
  const conflict = () => new HoldfastError("version-conflict", { run, expected });
  // Every run can be moved to files, where its id is a part of a path.
  checkedRunId(run);
  const prev = on?.id ?? (expected === 0 ? "" : await idOf(appender, run, expected));
  if (prev === null || (expected === 0) !== (prev === "")) throw conflict();

  const version = expected + 1;
  const { bytes, hash: id } = writeLine({ version, prev, writer: appender.newWriter(), events });
  if (bytes.length > longestLine) {
    const file = `the journal of ${run} in ${database.address.where}`;
    throw new HoldfastError("file-unwritable", { file, problem: "the commit is too long for one line" });
  }
  const line = bytes.subarray(0, -1);
  const { projection, templates = [], jobs = [] } = attached;
  const [isShown, ...row] = projectionValues(projection);
  const commit = [run, version, id, prev, line];
  const values = [project, ...commit, isShown, ...row, ...templateValues(templates)];
  const [plain, full] = expected === 0 ? [beginRun, beginRunWithTemplates] : [moveRun, moveRunWithTemplates];
  const statement = templates.length === 0 ? plain : full;
  const sendAlone = () => send(appender, statement, values, jobs);
  const size = line.length + String(row.at(-1)).length;
  // A version that is no 32-bit integer is for the server to reject, and not together with others.
  const isUsual = statement === moveRun && isShown && jobs.length === 0 && version === (version | 0);
  const mayBeGrouped = isUsual && size <= longestInGroup;
  const isStored = await untilAnswered(appender, {
    // With others only once: one of them may be to blame if no answer comes.
    send: (isAgain) =>
      mayBeGrouped && !isAgain
        ? appender.storeInGroup({ id, values: [...commit, ...row], size, sendAlone })
        : sendAlone(),
    isStored: async () => (await idOf(appender, run, version)) === id,
  });
  if (!isStored) {
    await refuseContradiction(appender, run);
    throw conflict();
  }
  return { version, id, place: version, events: [...events], line };
}

/** After a restore of some tables only, nobody could ever append: whoever reads the commits expects another version than the run has. */
async function refuseContradiction({ database, project }: Appender, run: string): Promise<void> {
  const [row] = (await database.ask(selectAgreement, [project, run])).rows;
  if (row?.agree !== false) return;
  throw contradiction(database.address.where, `the last commit of ${run}`);
}

export function templateValues(templates: readonly StoredTemplate[]): readonly unknown[] {
  if (templates.length === 0) return [];
  // Always in one order: two that store the same ones would wait for each other.
  const all = [...templates].sort((one, other) => (one.hash < other.hash ? -1 : 1));
  const contents = all.map(({ text }) => Buffer.from(text));
  return [all.map(({ hash }) => hash), binaryArray("bytea", contents)];
}

async function send(
  { database, sendJobs }: Appender,
  statement: Statement,
  values: readonly unknown[],
  jobs: readonly unknown[],
): Promise<boolean> {
  if (jobs.length === 0) return (await database.change(statement, values)).count > 0;
  return database.transaction(async (query) => {
    if ((await query(statement, values)).count === 0) return false;
    await sendJobs(query, jobs);
    return true;
  });
}

interface Attempt {
  /** Whether the commit was stored by this attempt. */
  send(isAgain: boolean): Promise<boolean>;
  /** Whether it was stored by any. */
  isStored(): Promise<boolean>;
}

/**
 * Without an answer, nobody knows whether the commit was stored, or still will be: it may be on its way. So the same line is
 * sent again until there is an answer. It cannot be stored twice, because it has a version; and if its version is taken, the
 * id there tells whether it is ours.
 */
export async function untilAnswered({ patience, database }: Appender, attempt: Attempt): Promise<boolean> {
  const until = Date.now() + patience;
  let mayBeStored = false;
  let wasLate = false;
  for (let wait = firstPause; ; wait = Math.min(2 * wait, longestPause)) {
    try {
      return (await attempt.send(mayBeStored)) || (mayBeStored && (await attempt.isStored()));
    } catch (error) {
      if (!mayBeStored && !isUnanswered(error)) throw error;
      mayBeStored = true;
      if (!isWorthResending(error, wasLate) || Date.now() + wait > until) throw unanswered(database, error);
      wasLate ||= isLate(error);
    }
    await pause(wait);
  }
}

/** Whether to send again. One connection can break without a word; if nothing arrives on the next either, it is the server. */
function isWorthResending(error: unknown, wasLate: boolean): boolean {
  return isUnreachable(error) && error.data.after !== "interruption" && !(wasLate && isLate(error));
}

function isLate(error: unknown): boolean {
  return isUnreachable(error) && error.data.after === "timeout";
}

const firstPause = 20;
const longestPause = 1_000;

/** Whatever went wrong last: an earlier attempt may have been stored. */
function unanswered({ address: { where } }: Database, error: unknown): Error {
  if (!(error instanceof HoldfastError)) return new Error("the commit was not stored", { cause: error });
  const data = isUnreachable(error) ? error.data : { where, problem: error.message };
  return new HoldfastError("store-unreachable", { ...data, committed: "unknown" });
}

export async function idOf({ database, project }: Appender, run: string, version: number): Promise<string | null> {
  const [row] = (await database.ask(selectId, [project, run, version])).rows;
  return typeof row?.id === "string" ? row.id : null;
}
