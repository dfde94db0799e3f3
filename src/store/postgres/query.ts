import { isRejected } from "./failures.ts";

/** A fixed text with places for values. Nothing is ever put into the text itself. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export type Row = Readonly<Record<string, unknown>>;

export interface QueryResult {
  readonly rows: readonly Row[];
  /** How many rows the statement has found, or changed. */
  readonly count: number;
  /** What the server says that it has done. */
  readonly command: string;
}

export type Query = (statement: Statement, values: readonly unknown[]) => Promise<QueryResult>;

/** Timeouts, in milliseconds. */
export interface Waits {
  /** For a connection. */
  readonly connect: number;
  /** For the answer to a statement. */
  readonly answer: number;
}

/** A prepared statement that a pooler's next connection does not know would end the transaction. */
export function unnamed(query: Query): Query {
  return (statement, values) => query({ ...statement, name: "" }, values);
}

/** Whatever fails before the end leaves nothing: the connection is closed, or what was done on it is taken back. */
export async function inTransaction<T>(query: Query, act: (query: Query) => Promise<T>, last: () => void): Promise<T> {
  await query({ name: "holdfast_begin", text: "BEGIN" }, []);
  try {
    const result = await act(query);
    last();
    const { command } = await query({ name: "holdfast_commit", text: "COMMIT" }, []);
    if (command !== "COMMIT")
      throw new Error("nothing was stored: a statement was rejected, and somebody ignored that");
    return result;
  } catch (error) {
    if (isRejected(error)) await query({ name: "holdfast_rollback", text: "ROLLBACK" }, []);
    throw error;
  }
}
