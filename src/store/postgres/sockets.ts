import { Socket } from "node:net";

/** How long a server that works may take for a last word, in milliseconds; one that is gone does not answer. */
export const goodbye = 1_000;

/** All sockets to one database. The driver does not give up those on which nothing arrives. */
export interface Sockets {
  /** A new one, for the driver to connect. */
  make(): Socket;
  destroyAll(): void;
  /** The same, also for those that are made afterwards. */
  end(): void;
  /** Resolves when none is open. */
  closed(): Promise<void>;
}

export function createSockets(): Sockets {
  const open = new Set<Socket>();
  let isEnded = false;
  let emptied = () => {};
  const destroyAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    make() {
      const socket = new Socket();
      open.add(socket);
      socket.once("close", () => {
        open.delete(socket);
        if (open.size === 0) emptied();
      });
      // Not before the driver has connected it: that would bring a destroyed one back.
      if (isEnded) setImmediate(() => socket.destroy());
      return socket;
    },
    destroyAll,
    end() {
      isEnded = true;
      destroyAll();
    },
    async closed() {
      if (open.size === 0) return;
      await new Promise<void>((resolve) => {
        emptied = resolve;
      });
    },
  };
}

/** Whether the caller has given up, and what is to be done then about whatever waits for the server. */
export interface Interruption {
  isOn(): boolean;
  /**
   * Calls `end` when the caller gives up, but leaves what has just begun the time of a goodbye, and more to what begins only
   * then: that is there to be recorded. Returns how to end the wait.
   */
  during(end: () => void): () => void;
  /** The signal is not listened to any more. */
  forget(): void;
}

export function createInterruption(signal: AbortSignal | undefined): Interruption {
  const waits = new Set<() => void>();
  const hurryAll = () => {
    for (const hurry of waits) hurry();
  };
  // One listener for all: there may be many waits.
  signal?.addEventListener("abort", hurryAll, { once: true });
  return {
    isOn: () => signal?.aborted === true,
    during(end) {
      const began = Date.now();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const hurry = (within = goodbye) => {
        timer = setTimeout(end, Math.max(0, began + within - Date.now()));
      };
      waits.add(hurry);
      if (signal?.aborted === true) hurry(3 * goodbye);
      return () => {
        waits.delete(hurry);
        clearTimeout(timer);
      };
    },
    forget: () => signal?.removeEventListener("abort", hurryAll),
  };
}
