import { HoldfastError } from "../../errors.ts";
import { type ReadEvents, readLine } from "../journal-line.ts";
import type { CopiedCommit, Head } from "../store.ts";
import type { Database } from "./database.ts";
import type { Row, Statement } from "./query.ts";

/**
 * The next commits, as many as fit into a few megabytes, but at least one. The sum is of sizes, so no line is read that is not
 * in the answer.
 */
const selectLines: Statement = {
  name: "holdfast_select_lines",
  text: `
    SELECT version, id, line FROM (
      SELECT version, id, line, sum(octet_length(line)) OVER (ORDER BY version) - octet_length(line) AS before
      FROM holdfast.commits WHERE project = $1 AND run = $2 AND version >= $3
      ORDER BY version LIMIT $4
    ) AS page WHERE before < $5 ORDER BY version`,
};

/** The same behind a commit, whose line is left out. */
const selectLinesAfter: Statement = {
  name: "holdfast_select_lines_after",
  text: `
    SELECT version, id, CASE WHEN version > $3 THEN line END AS line FROM (
      SELECT version, id, line,
             sum(CASE WHEN version > $3 THEN octet_length(line) ELSE 0 END) OVER (ORDER BY version)
               - CASE WHEN version > $3 THEN octet_length(line) ELSE 0 END AS before
      FROM holdfast.commits WHERE project = $1 AND run = $2 AND version >= $3
      ORDER BY version LIMIT $4
    ) AS page WHERE before < $5 ORDER BY version`,
};

const mostLines = 500;
/** In bytes. */
const longestPage = 4 * 1024 * 1024;

export interface Journal {
  readonly database: Database;
  readonly project: string;
  readonly readEvents: ReadEvents;
}

/** The commits of a run from a version on. Each is checked: its own hash, and that it builds on the one before. */
export async function* readCommits(journal: Journal, run: string, from: number): AsyncGenerator<CopiedCommit> {
  const { rows } = await ask(journal, selectLines, run, Math.max(from, 1));
  yield* readPages(journal, run, rows, from > 1 ? null : { version: 0, id: "" });
}

/** The commits behind another one. Throws `version-conflict` if that is not a commit of the run. */
export async function* readCommitsAfter(journal: Journal, run: string, on: Head): AsyncGenerator<CopiedCommit> {
  const { rows } = await ask(journal, selectLinesAfter, run, on.version);
  const [first, ...more] = rows;
  if (first?.version !== on.version || first.id !== on.id) {
    throw new HoldfastError("version-conflict", { run, expected: on.version });
  }
  yield* readPages(journal, run, more, on);
}

function ask({ database, project }: Journal, statement: Statement, run: string, from: number) {
  return database.ask(statement, [project, run, from, mostLines, longestPage]);
}

async function* readPages(
  journal: Journal,
  run: string,
  first: readonly Row[],
  on: Head | null,
): AsyncGenerator<CopiedCommit> {
  let last = on;
  for (let page = first; page.length > 0; ) {
    let size = 0;
    for (const row of page) {
      const commit: CopiedCommit = readRow(journal, run, row, last);
      size += commit.line.length;
      last = commit;
      yield commit;
    }
    // Behind a page that is neither long nor large there is nothing.
    if (last === null || (page.length < mostLines - 1 && size < longestPage)) return;
    page = (await ask(journal, selectLines, run, last.version + 1)).rows;
  }
}

/** Checks a line, of a database if one is given, against what is known of it: its version, its id, and the commit that it must build on, if any. */
export function readRow(
  { readEvents, database }: Pick<Journal, "readEvents"> & Partial<Journal>,
  run: string,
  { version: number, id, line }: Row,
  last: Head | null,
): CopiedCommit {
  const place = database && { where: database.address.where };
  const corrupt = (problem: string) =>
    new HoldfastError("journal-corrupt", { run, line: Number(number), problem, ...place });
  if (!Buffer.isBuffer(line)) throw corrupt("it is not a commit");
  const [read, more] = readLine(line, readEvents);
  if (read?.type === "newer") {
    const { format, needs } = read;
    throw new HoldfastError("format-newer", { file: `the journal of ${run}`, format, ...(needs && { needs }) });
  }
  if (read?.type !== "commit" || more !== undefined) {
    throw corrupt(read?.type === "corrupt" ? read.problem : "a part of it is missing");
  }
  const { version, prev, hash, events } = read;
  if (version !== number || hash !== id) throw corrupt("it belongs to another commit");
  if (last !== null && version !== last.version + 1)
    throw corrupt(`version ${version} follows version ${last.version}`);
  const before = version === 1 ? "" : last?.id;
  if (before !== undefined && prev !== before) throw corrupt("an earlier line was changed after it was written");
  return { version, id: hash, place: version, events, line };
}
