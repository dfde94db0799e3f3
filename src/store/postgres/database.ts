import type { Client, ClientConfig, Pool, PoolClient, QueryConfig } from "pg";
import { HoldfastError } from "../../errors.ts";
import type { Address } from "./address.ts";
import {
  GivenUp,
  isCollision,
  isRejected,
  isUnanswered,
  isUnreachable,
  sqlState,
  storeFailure,
  unchanged,
} from "./failures.ts";
import { inTransaction, type Query, type QueryResult, type Row, type Statement, unnamed, type Waits } from "./query.ts";
import { createInterruption, createSockets, goodbye, type Interruption, type Sockets } from "./sockets.ts";

/** Connections to one database. Every error is one of ours, without a password in it. */
export interface Database {
  readonly address: Address;
  /** Asks without changing anything. If the connection was lost, another one is tried once. */
  ask: Query;
  /** Changes something in one statement. An error says whether it may have been stored nevertheless. */
  change: Query;
  /** The same for what can be done twice. If the connection was lost, another one is tried once. */
  repeat: Query;
  /** Changes something in several statements, all of them or none. */
  transaction<T>(act: (query: Query) => Promise<T>): Promise<T>;
  /** A connection of its own, not from the pool, and not yet connected. */
  newClient(): Promise<Client>;
  /** `last` is done first. What the server does not answer within a second is given up. */
  close(last?: () => Promise<void>): Promise<void>;
}

export interface DatabaseOptions {
  readonly address: Address;
  readonly waits: Waits;
  readonly connections: number;
  /** Aborted when the caller gives up: then nothing is waited for any more. */
  readonly signal?: AbortSignal | undefined;
  /** Checks every new connection before it is used for anything else. */
  check(query: Query): Promise<void>;
}

export function createDatabase(options: DatabaseOptions): Database {
  const { address, waits } = options;
  const interruption = createInterruption(options.signal);
  let opening: Promise<Connections> | null = null;
  const open = () => {
    opening ??= openPool(options);
    return opening;
  };
  const known = new WeakSet<PoolClient>();
  const statements = { areNamed: true };

  /** Uses one connection, which is closed if it may not be in order afterwards. `last` is called before what may change something. */
  async function useOnce<T>(act: Use<T>): Promise<T> {
    const connections = await open();
    const client = await connect(connections, options, interruption);
    let committed: "no" | "unknown" = "no";
    const query: Query = async (statement, values) => {
      try {
        return await answerOf(client, { statement, values, waits, statements, interruption });
      } catch (error) {
        // A rejected statement leaves the connection in order, and whoever sent it may know what to do.
        throw isRejected(error) ? error : storeFailure(address, error, committed);
      }
    };
    try {
      if (!known.has(client)) await options.check(query);
      known.add(client);
      const result = await act(query, () => {
        committed = "unknown";
      });
      client.release();
      return result;
    } catch (error) {
      client.release(!isRejected(error));
      if (isUnreachable(error)) await dropIdle(connections);
      throw error;
    }
  }

  const use = <T>(act: Use<T>) => repeating(address, () => useOnce(act));
  const change: Query = (statement, values) =>
    use((query, last) => {
      last();
      return query(statement, values);
    });
  const repeat: Query = (statement, values) =>
    change(statement, values).catch((error: unknown) => {
      // Whoever has waited once does not wait again.
      if (!isUnanswered(error) || error.data.after !== undefined) throw error;
      return change(statement, values);
    });
  return {
    address,
    change,
    repeat,
    ask: (statement, values) =>
      repeat(statement, values).catch((error: unknown) => {
        throw isUnanswered(error) ? unchanged(error) : error;
      }),
    transaction: (act) => use((query, last) => inTransaction(unnamed(query), act, last)),
    async newClient() {
      const [pg, { sockets }] = [await loadDriver(), await open()];
      try {
        const client = new pg.Client(settingsOf(options, sockets));
        const giveUp = () => client.connection.stream.destroy();
        client.once("end", interruption.during(giveUp));
        return client;
      } catch (error) {
        throw storeFailure(address, error, "no");
      }
    },
    async close(last = async () => {}) {
      const connections = await opening?.catch(() => null);
      const timer = setTimeout(() => connections?.sockets.end(), interruption.isOn() ? 0 : goodbye);
      await last();
      opening = null;
      interruption.forget();
      await connections?.pool.end();
      // The driver's own end does not wait until they are closed.
      await connections?.sockets.closed();
      clearTimeout(timer);
    },
  };
}

type Use<T> = (query: Query, last: () => void) => Promise<T>;

const mostCollisions = 20;

/** Databases with stricter isolation, or shorter waits for locks, reject what only has to be sent again. */
async function repeating<T>(address: Address, act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act();
    } catch (error) {
      if (!isCollision(error) || attempt === mostCollisions)
        throw isRejected(error) ? storeFailure(address, error, "no") : error;
    }
  }
}

/** What has broken one connection has probably broken those that nobody uses at the moment, too. */
async function dropIdle({ idle }: Connections): Promise<void> {
  for (const client of idle) streamOf(client).destroy();
  // Until the pool has noticed.
  await new Promise((resolve) => setImmediate(resolve));
}

export async function endClient(client: Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), goodbye);
  await client.end().catch(() => {});
  clearTimeout(timer);
}

async function loadDriver() {
  try {
    return (await import("pg")).default;
  } catch {
    throw new HoldfastError("store-driver-missing", { driver: "pg" });
  }
}

function settingsOf({ address, waits, connections }: DatabaseOptions, sockets: Sockets) {
  return {
    connectionString: address.url,
    application_name: "holdfast",
    max: connections,
    connectionTimeoutMillis: waits.connect,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    stream: sockets.make,
    // A program that has nothing else to do may end.
    allowExitOnIdle: true,
  };
}

/** A pool, and the connections that it has open. */
interface Connections {
  readonly pool: Pool;
  readonly sockets: Sockets;
  readonly idle: ReadonlySet<PoolClient>;
}

async function openPool(options: DatabaseOptions): Promise<Connections> {
  const pg = await loadDriver();
  const sockets = createSockets();
  const pool = new pg.Pool({ ...settingsOf(options, sockets), Client: closingClient(pg) });
  const idle = new Set<PoolClient>();
  // What breaks while nobody uses it is replaced when somebody does.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("acquire", (client) => idle.delete(client));
  pool.on("release", (_error, client) => idle.add(client));
  pool.on("remove", (client) => idle.delete(client));
  return { pool, sockets, idle };
}

/** The driver itself leaves a socket open, for the server to close, on which it could not begin to encrypt or to log in. */
function closingClient({ Client: Driver }: Awaited<ReturnType<typeof loadDriver>>) {
  return class extends Driver {
    constructor(settings?: ClientConfig) {
      super(settings);
      const { stream } = this.connection;
      this.connection.on("error", () => stream.destroy());
    }
  };
}

async function connect(
  { pool, sockets }: Connections,
  { address, waits }: DatabaseOptions,
  interruption: Interruption,
): Promise<PoolClient> {
  const over = interruption.during(sockets.destroyAll);
  try {
    return await pool.connect();
  } catch (error) {
    throw storeFailure(address, givenUp(error, waits.connect, interruption) ?? error, "no");
  } finally {
    over();
  }
}

/** Null if the server has answered, or the connection broke by itself. */
function givenUp(error: unknown, wait: number, interruption: Interruption): GivenUp | null {
  if (!(error instanceof Error) || sqlState(error) !== null) return null;
  if (interruption.isOn()) return new GivenUp("interruption", wait);
  return /timeout/.test(error.message) ? new GivenUp("timeout", wait) : null;
}

interface Asked {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  readonly waits: Waits;
  readonly statements: { areNamed: boolean };
  readonly interruption: Interruption;
}

async function answerOf(client: PoolClient, asked: Asked): Promise<QueryResult> {
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
function streamOf(client: PoolClient) {
  return (client as PoolClient & Pick<Client, "connection">).connection.stream;
}
