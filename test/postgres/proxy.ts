import { createServer, connect as dial, type Socket } from "node:net";

/** Stands between stores and the server, and fails as networks do. */
export interface FaultyProxy {
  readonly port: number;
  /** Closes every connection. */
  cut(): void;
  /** The server gets what it is sent, but all answers are lost, and then the connections are. */
  loseAnswers(): void;
  /** The next statement with this name reaches the server. Its answer is lost, and from then on no connection is accepted. */
  loseAnswerTo(statement: string): void;
  /** Passes everything on later, in order, from now on; 0 ends that. */
  delay(milliseconds: number): void;
  /** Existing connections stay open, and nothing passes on them any more. */
  freeze(): void;
  /** Accepts every connection, and nothing passes on any of them until told otherwise. */
  hang(isHanging: boolean): void;
  /** The next statement that has these words in it reaches the server, and nothing that is said to it comes back. */
  muteAt(words: string): Promise<void>;
  /** How many connections were made so far. */
  made(): number;
  /** Accepts no connection until told otherwise. */
  refuse(isRefusing: boolean): void;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  isFrozen: boolean;
  isDeaf: boolean;
}

export async function startProxy(target: number): Promise<FaultyProxy> {
  const pairs = new Set<Pair>();
  let wait = 0;
  let isRefusing = false;
  let isHanging = false;
  let made = 0;
  let mute = { words: "", done: () => {} };
  let unanswered: string | null = null;

  function lose(pair: Pair): void {
    pair.isDeaf = true;
    pair.server.once("data", () => end(pair));
  }

  function pass(pair: Pair, from: Socket, to: Socket): void {
    from.on("data", (bytes: Buffer) => {
      if (unanswered !== null && from === pair.client && bytes.includes(unanswered)) {
        unanswered = null;
        isRefusing = true;
        lose(pair);
      }
      if (mute.words !== "" && from === pair.client && bytes.includes(mute.words)) {
        pair.isDeaf = true;
        mute.words = "";
        mute.done();
      }
      const send = () => {
        if (!(pair.isFrozen || (pair.isDeaf && to === pair.client))) to.write(bytes);
      };
      if (wait === 0) send();
      else setTimeout(send, wait);
    });
  }

  function end(pair: Pair): void {
    pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  }

  const listener = createServer((client) => {
    made++;
    if (isRefusing) return void client.destroy();
    const pair: Pair = { client, server: dial(target, "127.0.0.1"), isFrozen: isHanging, isDeaf: false };
    pairs.add(pair);
    for (const socket of [pair.client, pair.server]) socket.on("error", () => {}).on("close", () => end(pair));
    pass(pair, pair.client, pair.server);
    pass(pair, pair.server, pair.client);
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cut: () => pairs.forEach(end),
    loseAnswers() {
      for (const pair of pairs) lose(pair);
    },
    loseAnswerTo(statement) {
      unanswered = statement;
    },
    delay(milliseconds) {
      wait = milliseconds;
    },
    freeze() {
      for (const pair of pairs) pair.isFrozen = true;
    },
    hang(hanging) {
      isHanging = hanging;
      for (const pair of pairs) pair.isFrozen = hanging;
    },
    muteAt: (words) =>
      new Promise((resolve) => {
        mute = { words, done: resolve };
      }),
    made: () => made,
    refuse(refusing) {
      isRefusing = refusing;
    },
    async close() {
      pairs.forEach(end);
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
