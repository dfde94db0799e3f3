import { batch, computed, signal } from "@preact/signals";
import type { CardWait, InboxItem, LiveMessage, Me, ProjectRow } from "../../serve/contract/contract.ts";
import { readInbox, readMe, readProjects } from "./calls.ts";
import { asProblem, type Problem } from "./request.ts";

// What every screen may need: who looks at the page, the projects, and what waits for a person.

export const me = signal<Me | null>(null);
export const projects = signal<readonly ProjectRow[]>([]);
export const inbox = signal<readonly InboxItem[] | null>(null);
export const trouble = signal<Problem | null>(null);

/** Whether the page may decide something. */
export const canAct = computed(() => me.value?.level === "person");

/** Why the page decides nothing, and what to do about it. */
export const readOnlyWords = computed(() =>
  me.value?.isReadOnly === true
    ? "Read-only: nobody started this server at a terminal. To decide here, run `holdfast serve` in your own."
    : "Read-only: to decide here, press Enter in the terminal where `holdfast serve` runs, and open the new link.",
);

export function projectName(id: string): string {
  return projects.value.find((project) => project.id === id)?.name ?? id;
}

export async function refreshKnown(): Promise<void> {
  try {
    [me.value, projects.value] = await Promise.all([readMe(), readProjects()]);
    trouble.value = null;
  } catch (error) {
    trouble.value = asProblem(error);
  }
}

/** Reads only who looks at the page; a server that does not answer changes nothing. */
export async function refreshMe(): Promise<void> {
  try {
    me.value = await readMe();
  } catch {
    // The header shows that the server does not answer.
  }
}

/** The number of the reading that `inbox` is from. */
export const inboxRead = signal(0);

let isReading = false;
let isStale = false;
let begun = 0;

/** The number of the last reading that has begun: the next one knows of everything that was decided before. */
export function lastInboxRead(): number {
  return begun;
}

/** From the beginning of one reading to the next, in milliseconds: the server looks at all live runs for each. */
const gap = 1_000;
let lastBegin = Number.NEGATIVE_INFINITY;

/** A run waits like this without being in the inbox: there is nothing to decide. */
const undecided: readonly CardWait["kind"][] = ["parked", "agent", "context-action"];

/** Whether a message can mean another inbox. Most runs move without ever asking for anybody. */
export function touchesInbox(message: LiveMessage): boolean {
  if (message.type === "reset") return true;
  if (message.type === "moved") return false;
  // What is being read may have the run in it.
  if (isReading || inbox.value === null) return true;
  const { project, runId } = message.type === "run" ? message.card : message;
  const waits = message.type === "run" ? message.card.waitsFor : null;
  const isAsking = waits !== null && !undecided.includes(waits.kind);
  return isAsking || inbox.value.some((item) => item.project === project && item.runId === runId);
}

/** Reads the inbox; calls that come in the meantime become one more reading. */
export async function refreshInbox(): Promise<void> {
  isStale = true;
  if (isReading) return;
  isReading = true;
  try {
    while (isStale) {
      const wait = lastBegin + gap - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      lastBegin = performance.now();
      isStale = false;
      begun += 1;
      const items = await readInbox();
      batch(() => {
        inbox.value = items;
        inboxRead.value = begun;
      });
    }
  } catch {
    // The header shows that the server does not answer, and a new connection reads the inbox again.
  } finally {
    isReading = false;
  }
}
