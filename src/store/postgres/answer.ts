import type { Client, PoolClient, QueryConfig } from "pg";
import type { Answer, Row, Statement, Waits } from "./database.ts";
import { GivenUp, sqlState } from "./failures.ts";
import type { Interruption } from "./sockets.ts";

interface Asked {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  readonly waits: Waits;
  readonly statements: { areNamed: boolean };
  readonly interruption: Interruption;
}

/** Asks on one connection, and destroys that if no answer comes. */
export async function answerOf(client: PoolClient, asked: Asked): Promise<Answer> {
  const { statement, values, waits, statements, interruption } = asked;
  const config: QueryConfig = { text: statement.text, values: [...values] };
  if (statements.areNamed) config.name = statement.name;
  let isGivenUp: GivenUp["after"] | null = null;
  // The driver would wait for a server that may be gone.
  const giveUp = (after: GivenUp["after"]) => {
    isGivenUp = after;
    streamOf(client).destroy();
  };
  const timer = setTimeout(giveUp, waits.answer, "timeout");
  const over = interruption.during(() => giveUp("interruption"));
  try {
    const { rows, rowCount, command } = await client.query<Row>(config);
    return { rows, count: rowCount ?? 0, command };
  } catch (error) {
    if (isGivenUp !== null) throw new GivenUp(isGivenUp, waits.answer);
    if (!statements.areNamed || !isUnprepared(error)) throw error;
    // Another connection of a pooler than the one that has prepared the statement. It was not executed.
    statements.areNamed = false;
    return await answerOf(client, asked);
  } finally {
    clearTimeout(timer);
    over();
  }
}

function isUnprepared(error: unknown): boolean {
  return ["26000", "42P05"].includes(sqlState(error) ?? "");
}

/** The types of the driver know the connection only of clients outside a pool. */
export function streamOf(client: PoolClient) {
  return (client as PoolClient & Pick<Client, "connection">).connection.stream;
}
