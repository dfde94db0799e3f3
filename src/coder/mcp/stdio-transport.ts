import type { Transport } from "@modelcontextprotocol/client";
import { type GuardedStart, startGuarded } from "../../platform/guarded-process.ts";
import { createTail } from "../../platform/tail.ts";

/** A server as a program. Unlike with the SDK's own transport, none of its processes outlives us. */
export interface StdioTransport extends Transport {
  /** Why it has ended, with the last that it printed. */
  ended(): string | null;
  /** The last that it printed to its error stream, and instead of messages. */
  printed(): string;
}

/** One that heeds the protocol ends when its input is closed. */
const graceMs = 2_000;
const tailBytes = 1_000;
const mostMessageBytes = 10 * 1024 * 1024;

export async function createStdioTransport(start: GuardedStart): Promise<StdioTransport> {
  const { ReadBuffer, serializeMessage } = await import("@modelcontextprotocol/client");
  const received = new ReadBuffer({ maxBufferSize: mostMessageBytes });
  const tail = createTail(tailBytes);
  let ended: string | null = null;
  let isUnderstood = false;
  let send: (text: string) => void = () => {};
  let end: () => Promise<void> = async () => {};
  const printed = () => tail.text().trim();
  const tell = (how: string) => (printed() === "" ? how : `${how}: ${printed()}`);
  const transport: StdioTransport = {
    ended: () => ended,
    printed,
    async start() {
      const guarded = startGuarded(start, "pipe");
      if (typeof guarded === "string") throw new Error(guarded);
      const { child } = guarded;
      let problem: string | null = null;
      const hasEnded = new Promise<void>((resolve) => {
        const finish = (how: string) => {
          guarded.killAll();
          guarded.afterOutput(() => {
            ended ??= tell(problem ?? how);
            resolve();
            transport.onclose?.();
          });
        };
        child.once("error", (error) => finish(guarded.wordProblem(error)));
        child.once("exit", (code, signal) => finish(`it ended with ${code ?? signal}`));
      });
      child.stderr?.on("data", tail.push);
      // It may end before it has read what is sent; its end is the news then.
      child.stdin?.on("error", () => {});
      child.stdout?.on("data", (chunk: Buffer) => {
        try {
          received.append(chunk);
        } catch {
          problem ??= `it has sent a message of more than ${mostMessageBytes / 1024 / 1024} MB`;
          guarded.killAll();
          return;
        }
        takeMessages();
        if (!isUnderstood) tail.push(chunk);
      });
      send = (text) => child.stdin?.write(text);
      end = async () => {
        child.stdin?.end();
        const timer = setTimeout(() => guarded.killAll(), graceMs);
        await hasEnded;
        clearTimeout(timer);
      };
    },
    async send(message) {
      send(serializeMessage(message));
    },
    close: () => end(),
  };
  const takeMessages = () => {
    for (;;) {
      try {
        const message = received.readMessage();
        if (message === null) return;
        isUnderstood = true;
        transport.onmessage?.(message);
      } catch {
        // A line that is JSON and no message. Others are skipped by the reader.
      }
    }
  };
  return transport;
}
