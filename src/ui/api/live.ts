import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { LiveMessage } from "../../serve/contract/contract.ts";
import { keyHeader } from "./request.ts";

/**
 * `signed-out`: the cookie is not accepted (any more). `restarted`: the server was gone and does not know what this page has
 * seen, so everything was read anew.
 */
export type Connection = "connecting" | "live" | "reconnecting" | "restarted" | "signed-out";

export const connection = signal<Connection>("connecting");

type Listener = (message: LiveMessage) => void;

const listeners = new Set<Listener>();
const delays = [300, 500, 1_000, 2_000, 4_000, 8_000];
/** The server sends a heartbeat more often than this. */
const longestSilence = 45_000;
let lastId: string | null = null;

/** Calls `listener` with every message for as long as the component is shown. */
export function useLive(listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const forward: Listener = (message) => latest.current(message);
    listeners.add(forward);
    return () => void listeners.delete(forward);
  }, []);
}

/** Keeps one stream open for the whole page, and opens it again whenever it ends. A hidden tab begins when it is seen. */
export async function keepListening(): Promise<never> {
  for (let failures = 0; ; ) {
    await untilVisible();
    const wasOpen = await listen(failures > 0).catch(() => false);
    failures = wasOpen ? 0 : failures + 1;
    if (connection.value !== "signed-out") connection.value = "reconnecting";
    await pause(delays[Math.min(failures, delays.length - 1)] ?? 8_000);
  }
}

/** Waits, but not longer than until somebody looks again or the network is back. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    document.addEventListener("visibilitychange", done);
    addEventListener("online", done);
    function done() {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", done);
      removeEventListener("online", done);
      resolve();
    }
  });
}

/** Browsers allow six connections to a server: a tab that nobody looks at leaves its own to the others after a while. */
const hiddenFor = 60_000;

async function untilVisible(): Promise<void> {
  while (document.visibilityState === "hidden") await pause(hiddenFor);
}

/** Ends the stream of a tab that stays hidden, or one that has gone silent. `heard` puts the latter off. */
function endWhenUnused(control: AbortController): { heard(): void; stop(): void } {
  const end = () => control.abort();
  let silence = setTimeout(end, longestSilence);
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(hiding);
    if (document.visibilityState === "hidden") hiding = setTimeout(end, hiddenFor);
  };
  document.addEventListener("visibilitychange", look);
  look();
  return {
    heard() {
      clearTimeout(silence);
      silence = setTimeout(end, longestSilence);
    },
    stop() {
      clearTimeout(silence);
      clearTimeout(hiding);
      document.removeEventListener("visibilitychange", look);
    },
  };
}

/** One stream until it ends; tells whether it was ever open. `hasFailed`: the server could not be reached before. */
async function listen(hasFailed: boolean): Promise<boolean> {
  const control = new AbortController();
  const isFirst = lastId === null;
  const headers: HeadersInit = {
    Accept: "text/event-stream",
    ...keyHeader(),
    ...(lastId !== null && { "Last-Event-ID": lastId }),
  };
  const response = await fetch("/api/live", { headers, signal: control.signal, cache: "no-store" });
  if (!response.ok || response.body === null) {
    if (response.status === 401) connection.value = "signed-out";
    return false;
  }
  connection.value = "live";
  const use = endWhenUnused(control);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let rest = "", isBegun = false; ; ) {
      const { done, value } = await reader.read();
      if (done) return true;
      use.heard();
      // What changed after the screen was read and before the stream began is in neither of them.
      if (isFirst && !isBegun) announce({ type: "reset" });
      rest = takeMessages(rest + value, hasFailed && !isBegun);
      isBegun = true;
    }
  } catch {
    return true;
  } finally {
    use.stop();
  }
}

/** Handles all whole messages; what is left is the beginning of the next one. */
function takeMessages(text: string, isComeback: boolean): string {
  const blocks = text.split(/\r?\n\r?\n/);
  const rest = blocks.pop() ?? "";
  for (const block of blocks) {
    const data: string[] = [];
    for (const line of block.split(/\r?\n/)) {
      if (line.startsWith("id:")) lastId = line.slice(3).trim();
      if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
    }
    if (data.length === 0) continue;
    const message = JSON.parse(data.join("\n")) as LiveMessage;
    if (message.type === "reset" && isComeback) connection.value = "restarted";
    announce(message);
  }
  return rest;
}

function announce(message: LiveMessage): void {
  for (const listener of listeners) listener(message);
}
