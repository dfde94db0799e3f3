import { createServer, type Socket } from "node:net";
import pg from "pg";

/** A pooler as PgBouncer is in transaction mode: after each transaction, the server connection may go to another client. */
export interface Pooler {
  readonly port: number;
  /** How often a client got another server connection than before. */
  switches(): number;
  close(): Promise<void>;
}

/** A connection to the server, and the client that it is lent to. */
interface Lent {
  readonly socket: Socket;
  readonly close: () => Promise<void>;
  to: Socket | null;
}

export async function startPooler(url: string, size = 3): Promise<Pooler> {
  const servers = await Promise.all(Array.from({ length: size }, () => connectServer(url)));
  const clients = new Set<Socket>();
  const waiting: { readonly client: Socket; bytes: Buffer }[] = [];
  const before = new Map<Socket, Lent>();
  let switches = 0;

  function lend(): void {
    for (const free of servers) {
      if (free.to !== null) continue;
      const next = waiting.shift();
      if (next === undefined) return;
      if (before.has(next.client) && before.get(next.client) !== free) switches += 1;
      before.set(next.client, free);
      free.to = next.client;
      free.socket.write(next.bytes);
    }
  }

  function receive(client: Socket, bytes: Buffer): void {
    const mine = servers.find((server) => server.to === client);
    const mineWaiting = waiting.find((each) => each.client === client);
    if (mine !== undefined) mine.socket.write(bytes);
    else if (mineWaiting !== undefined) mineWaiting.bytes = Buffer.concat([mineWaiting.bytes, bytes]);
    else waiting.push({ client, bytes });
    lend();
  }

  for (const server of servers) {
    onMessages(server.socket, (message) => {
      server.to?.write(message);
      // Ready, and in no transaction.
      if (message[0] !== 0x5a || message[5] !== 0x49) return;
      server.to = null;
      // The next one first, so that connections change often.
      servers.push(...servers.splice(0, 1));
      lend();
    });
  }

  const listener = createServer((client) => {
    clients.add(client);
    client.on("error", () => {}).on("close", () => clients.delete(client));
    client.once("data", () => {
      client.write(greeting);
      client.on("data", (bytes: Buffer) => {
        // A client that says goodbye ends its own connection only.
        if (bytes[0] === 0x58) client.end();
        else receive(client, bytes);
      });
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    switches: () => switches,
    async close() {
      for (const client of clients) client.destroy();
      for (const { close } of servers) await close();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

/** Authenticated, a key to cancel with that nobody uses, ready. */
const greeting = Buffer.concat([
  Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]),
  Buffer.from([0x4b, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 1]),
  Buffer.from([0x5a, 0, 0, 0, 5, 0x49]),
]);

/** The driver connects; then its connection is used without it. */
async function connectServer(url: string): Promise<Lent> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const socket = client.connection.stream as Socket;
  socket.removeAllListeners();
  socket.on("error", () => {});
  return { socket, to: null, close: async () => void socket.destroy() };
}

/** Calls back with each whole message of the server. */
function onMessages(socket: Socket, call: (message: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on("data", (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const end = 1 + rest.readUInt32BE(1);
      call(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  });
}
