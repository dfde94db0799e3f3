import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { LiveMessage } from "../../serve/contract/contract.ts";
import { problemOf } from "./request.ts";

/**
 * `signed-out`: the cookie is not accepted (any more). `restarted`: live again, but what happened in between is not known,
 * so that everything was read anew.
 */
export type Connection = "connecting" | "live" | "reconnecting" | "restarted" | "signed-out";

export const connection = signal<Connection>("connecting");

type Listener = (message: LiveMessage) => void;

const listeners = new Set<Listener>();
const delays = [300, 1_000, 2_000, 4_000, 8_000];
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

/** Keeps one stream open for the whole page, and opens it again whenever it ends. */
export async function keepListening(): Promise<never> {
  for (let failures = 0; ; failures += 1) {
    const hadHeard = await listen().catch(() => false);
    if (hadHeard) failures = 0;
    if (connection.value !== "signed-out") connection.value = "reconnecting";
    await pause(delays[Math.min(failures, delays.length - 1)] ?? 8_000);
  }
}

/** Waits, but not while the page is hidden behind other tabs for longer than until it is shown again. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    const soon = () => document.visibilityState === "visible" && done();
    document.addEventListener("visibilitychange", soon);
    addEventListener("online", done);
    function done() {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", soon);
      removeEventListener("online", done);
      resolve();
    }
  });
}

/** One stream until it ends; tells whether it was ever open. */
async function listen(): Promise<boolean> {
  const control = new AbortController();
  const headers: HeadersInit = { Accept: "text/event-stream", ...(lastId !== null && { "Last-Event-ID": lastId }) };
  const response = await fetch("/api/live", { headers, signal: control.signal, cache: "no-store" });
  if (!response.ok || response.body === null) {
    const problem = await problemOf(response);
    if (problem.status === 401) connection.value = "signed-out";
    return false;
  }
  const wasBroken = connection.value === "reconnecting" || connection.value === "signed-out";
  connection.value = "live";
  if (wasBroken && lastId === null) announce({ type: "reset" });
  let silence = setTimeout(() => control.abort(), longestSilence);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let rest = ""; ; ) {
      const { done, value } = await reader.read();
      if (done) return true;
      clearTimeout(silence);
      silence = setTimeout(() => control.abort(), longestSilence);
      rest = takeMessages(rest + value, wasBroken);
    }
  } catch {
    return true;
  } finally {
    clearTimeout(silence);
  }
}

/** Handles all whole messages; what is left is the beginning of the next one. */
function takeMessages(text: string, wasBroken: boolean): string {
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
    if (message.type === "reset" && wasBroken) connection.value = "restarted";
    announce(message);
  }
  return rest;
}

function announce(message: LiveMessage): void {
  for (const listener of listeners) listener(message);
}
