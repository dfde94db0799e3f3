import { randomUUID } from "node:crypto";
import type { Client } from "pg";
import { type Database, endClient } from "./database.ts";
import type { Statement } from "./query.ts";

export const channel = "holdfast";

export const sendNotice: Statement = { name: "holdfast_notify", text: "SELECT pg_notify($1, $2)" };

export interface Listener {
  /** Called for every notice, and when the connection is lost. */
  onNotice(call: () => void): void;
  hears(): boolean;
  /** Connects if it is time to, and makes sure that the connection still works. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

/** How long a notice to ourselves may take, in milliseconds. Behind a pooler that shares connections it never arrives. */
const probeWait = 2_000;
const listenWait = 10_000;
const firstRetry = 1_000;
const longestRetry = 60_000;

export function createListener(database: Database, notice: string): Listener {
  let client: Client | null = null;
  let retry = { at: 0, wait: firstRetry };
  let call = () => {};

  async function connect(): Promise<void> {
    const fresh = await database.newClient().catch(() => null);
    if (fresh !== null && (await listens(fresh))) {
      client = fresh;
      retry = { at: 0, wait: firstRetry };
      return;
    }
    if (fresh !== null) await endClient(fresh);
    retry = { at: Date.now() + retry.wait, wait: Math.min(2 * retry.wait, longestRetry) };
  }

  async function listens(fresh: Client): Promise<boolean> {
    fresh.on("error", () => {
      if (client === fresh) client = null;
      call();
    });
    fresh.on("notification", ({ payload }) => {
      if (payload === notice) call();
    });
    // The driver waits for the answer to a statement as long as the connection stays open.
    const timer = setTimeout(() => fresh.connection.stream.destroy(), listenWait);
    try {
      await fresh.connect();
      await fresh.query("LISTEN holdfast");
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
    return reaches(database, fresh);
  }

  async function drop(): Promise<void> {
    const dropped = client;
    client = null;
    if (dropped !== null) await endClient(dropped);
  }

  return {
    onNotice(callback) {
      call = callback;
    },
    hears: () => client !== null,
    async check() {
      if (client !== null && !(await reaches(database, client))) await drop();
      if (client === null && Date.now() >= retry.at) await connect();
    },
    stop: drop,
  };
}

/** Whether a notice from one of our connections reaches another, which shows at once that it is alive. */
async function reaches(database: Database, client: Client): Promise<boolean> {
  const probe = randomUUID();
  let arrive = (_has: boolean) => {};
  const arrived = new Promise<boolean>((resolve) => {
    arrive = resolve;
  });
  const hear = ({ payload }: { readonly payload?: string | undefined }) => payload === probe && arrive(true);
  const timer = setTimeout(arrive, probeWait, false);
  client.on("notification", hear);
  try {
    await database.ask(sendNotice, [channel, probe]);
    return await arrived;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    client.removeListener("notification", hear);
  }
}
