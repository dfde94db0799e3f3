import type { LiveMessage } from "../contract/contract.ts";
import { HttpProblem, jsonOf } from "../http/problem.ts";
import { createMessageLog } from "./message-log.ts";
import { type WatchedProjects, watchProjects } from "./watch-projects.ts";

/** What is live in all projects, as server-sent events. Nothing is looked at while nobody listens. */
export interface Live {
  /** A stream for one reader, who goes on after `lastId` if that is still known. Throws if there are too many. */
  open(wanted: Wanted, lastId: string | null, connection?: Connection): ReadableStream<Uint8Array>;
  readonly streams: number;
  /** Whether the projects are looked at. */
  readonly isWatching: boolean;
  close(): Promise<void>;
}

/** Of one run, or of one project, or of everything. */
export interface Wanted {
  readonly project?: string | undefined;
  readonly run?: string | undefined;
}

export interface Connection {
  /** Ends the stream: nobody cancels one whose reader has left before the first byte. */
  readonly gone?: AbortSignal;
  /** Asked before anything is sent: a token may have been revoked meanwhile. */
  isWelcome?(): boolean;
}

export interface LiveOptions extends WatchedProjects {
  /** In milliseconds, from one look to the next. */
  readonly every?: number;
  /** In milliseconds, from one sign of life to the next. */
  readonly heartbeat?: number;
  /** In milliseconds: how long a reader who has lost its connection can come back and miss nothing. */
  readonly grace?: number;
  readonly mostStreams?: number;
  /** How many messages are kept for readers that are slow or come back. */
  readonly mostMessages?: number;
}

interface Reader {
  wake(): void;
  end(): void;
}

export function createLive(options: LiveOptions): Live {
  const { every = 500, heartbeat = 15_000, grace = 30_000, mostStreams = 200, mostMessages = 2_000 } = options;
  const log = createMessageLog(mostMessages);
  const readers = new Set<Reader>();
  const watches = watchProjects(options, log.add);
  let woken = log.last;
  let timer: NodeJS.Timeout | null = null;
  let idleSince: number | null = null;
  let isClosed = false;
  let isReady: Promise<void> = Promise.resolve();

  async function lookAround(): Promise<void> {
    await watches.look();
    if (log.last !== woken) for (const reader of readers) reader.wake();
    woken = log.last;
  }

  async function run(): Promise<void> {
    await lookAround().catch(options.report);
    if (isClosed || timer === null) return;
    idleSince = readers.size > 0 ? null : (idleSince ?? Date.now());
    if (idleSince !== null && Date.now() - idleSince >= grace) await stop();
    else timer = setTimeout(run, every).unref();
  }

  function start(): void {
    idleSince = null;
    if (timer !== null) return;
    isReady = new Promise((resolve) => {
      timer = setTimeout(() => run().finally(resolve), 0);
    });
  }

  async function stop(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    log.interrupt();
    await watches.stop();
  }

  return {
    get streams() {
      return readers.size;
    },
    get isWatching() {
      return timer !== null;
    },
    open(wanted, lastId, connection = {}) {
      if (readers.size >= mostStreams) {
        const next = "close other pages of the dashboard, or try again later";
        throw new HttpProblem(503, "streams-full", `${mostStreams} live streams are open already`, next);
      }
      start();
      return streamOf(log, readers, { ...connection, wanted, lastId, heartbeat, isReady });
    },
    async close() {
      isClosed = true;
      for (const reader of [...readers]) reader.end();
      await stop();
    },
  };
}

/** A reader that has stayed behind gets what it missed in pieces of about this many characters, each when it has taken the last. */
const pieceLength = 64 * 1024;

interface Opening extends Connection {
  readonly wanted: Wanted;
  readonly lastId: string | null;
  readonly heartbeat: number;
  /** The runs were looked at for the first time: from here on, nothing is missed. */
  readonly isReady: Promise<void>;
}

/** Frames are made when the reader takes them, so that a slow one costs no memory: it is told to read all anew. */
function streamOf(
  log: ReturnType<typeof createMessageLog>,
  readers: Set<Reader>,
  { wanted, lastId, gone, isWelcome = () => true, heartbeat, isReady }: Opening,
): ReadableStream<Uint8Array> {
  const known = lastId === null ? log.last : log.numberOf(lastId);
  let told = known ?? log.last;
  let next = `retry: 1000\n${known === null ? frame(log.idOf(told), { type: "reset" }) : idFrame(log.idOf(told))}`;
  let wake: () => void = () => {};
  let isOver = false;
  let isCancelled = false;
  const reader: Reader = {
    wake: () => wake(),
    end() {
      isOver = true;
      readers.delete(reader);
      wake();
    },
  };
  readers.add(reader);
  gone?.addEventListener("abort", reader.end);
  if (gone?.aborted) reader.end();

  function takeFirst(): string {
    const text = next;
    next = "";
    return text;
  }

  function takeNew(): string {
    const messages = log.after(told);
    if (messages === null) {
      told = log.last;
      return frame(log.idOf(told), { type: "reset" });
    }
    let text = "";
    for (const message of messages) {
      told += 1;
      if (isWanted(message, wanted)) text += frame(log.idOf(told), message);
      if (text.length >= pieceLength) break;
    }
    return text;
  }

  async function take(): Promise<string | null> {
    await isReady;
    for (const begun = Date.now(); !isOver; ) {
      const left = begun + heartbeat - Date.now();
      const text = takeFirst() || takeNew() || (left <= 0 ? `: still here\n${idFrame(log.idOf(told))}` : "");
      if (text !== "") return isWelcome() ? text : null;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left).unref();
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return null;
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const text = await take();
        if (text !== null) controller.enqueue(new TextEncoder().encode(text));
        else if (!isCancelled) {
          reader.end();
          controller.close();
        }
      },
      cancel() {
        isCancelled = true;
        reader.end();
      },
    },
    { highWaterMark: 0 },
  );
}

function isWanted(message: LiveMessage, { project, run }: Wanted): boolean {
  if (message.type === "reset") return true;
  const about = message.type === "run" ? message.card : message;
  return (project ?? about.project) === about.project && (run ?? about.runId) === about.runId;
}

function frame(id: string, message: LiveMessage): string {
  return `id: ${id}\ndata: ${jsonOf(message)}\n\n`;
}

/** Tells how far the reader has come, and nothing else. */
function idFrame(id: string): string {
  return `id: ${id}\n\n`;
}
