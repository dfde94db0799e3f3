import { batch, computed, effect, signal } from "@preact/signals";
import type { InboxItem } from "../../serve/contract/contract.ts";
import { inbox, inboxRead, lastInboxRead } from "../api/known.ts";
import { connection } from "../api/live.ts";
import type { Problem } from "../api/request.ts";
import { query, setQuery } from "../route/route.ts";

/**
 * What was answered here, with the last reading of the inbox that had begun by then. It leaves the list at once, and can only
 * come back with a later reading, for example after a retry that failed again.
 */
const answered = signal<ReadonlyMap<string, number>>(new Map());

/** What waits, oldest first; null before the first answer of the server. */
export const waiting = computed<readonly InboxItem[] | null>(() => {
  const project = query.value.get("project");
  const items = inbox.value?.filter((item) => project === null || item.project === project) ?? null;
  return items?.filter(({ id }) => inboxRead.value > (answered.value.get(id) ?? -1)) ?? null;
});

/** Where in the list the last chosen item was, so that the next one takes its place when it leaves. */
let place = 0;

export const selected = computed<InboxItem | null>(() => {
  const items = waiting.value ?? [];
  const id = query.value.get("item");
  const index = items.findIndex((item) => item.id === id);
  if (index >= 0) {
    place = index;
    return items[index] ?? null;
  }
  if (id === null) place = 0;
  return items[Math.min(place, items.length - 1)] ?? null;
});

/** Whether somebody has picked an item: on a narrow screen, it then takes the place of the list. */
export const isPicked = computed(() => query.value.get("item") !== null && selected.value !== null);

/**
 * Whether an item has just taken the place of another without the person's doing. What they press or type now was meant for
 * the other one, so nothing is decided until they have paused.
 */
export const isReplaced = signal<boolean>(false);
const pause = 1_000;
let timer: ReturnType<typeof setTimeout> | undefined;

function waitForPause(): void {
  clearTimeout(timer);
  timer = setTimeout(() => (isReplaced.value = false), pause);
}

/** An answer that failed. It is kept here, because its item may leave the list before anybody has read why. */
export const failure = signal<{ readonly id: string; readonly about: string; readonly problem: Problem } | null>(null);

effect(() => {
  if (connection.value === "live" && failure.peek()?.problem.code === "unreachable") failure.value = null;
});

/** Whoever answers an item again knows what went wrong with it. */
export function forgetFailure({ id }: InboxItem): void {
  if (failure.value?.id === id) failure.value = null;
}

/** Items whose answers are on their way: the person knows that they leave. */
const leaving = new Set<string>();
let before: { readonly id: string | null; readonly address: string; readonly isRead: boolean } | null = null;

effect(() => {
  const now = { id: selected.value?.id ?? null, address: query.value.toString(), isRead: waiting.value !== null };
  const isOwnDoing = before?.isRead !== true || before.address !== now.address || leaving.has(before.id ?? "");
  if (now.id !== null && now.id !== before?.id && !isOwnDoing) {
    isReplaced.value = true;
    waitForPause();
  }
  before = now;
});

addEventListener("keydown", restartPause, { capture: true });

function restartPause(): void {
  if (isReplaced.value) waitForPause();
}

export function select(id: string | null): void {
  setQuery({ item: id });
}

/** Moves by one, up or down, and stays within the list. */
export function selectNeighbour(by: 1 | -1): void {
  const items = waiting.value ?? [];
  const index = items.findIndex(({ id }) => id === selected.value?.id);
  const next = items[Math.max(0, Math.min(items.length - 1, index + by))];
  if (next !== undefined) select(next.id);
}

/** Sends the answer to an item, then takes the item out of the list; the one after it is selected. */
export async function leaveWith({ id }: InboxItem, send: () => Promise<unknown>): Promise<void> {
  leaving.add(id);
  try {
    await send();
    batch(() => {
      const next = nextAfter(id);
      answered.value = new Map([...answered.value, [id, lastInboxRead()]]);
      select(next?.id ?? null);
    });
  } finally {
    leaving.delete(id);
  }
}

function nextAfter(id: string): InboxItem | null {
  const items = waiting.value ?? [];
  const index = items.findIndex((item) => item.id === id);
  // The server was faster, and the next one has its place already.
  if (index < 0 || selected.value?.id !== id) return selected.value;
  return items[index + 1] ?? items[index - 1] ?? null;
}
