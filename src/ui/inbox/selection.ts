import { computed, signal } from "@preact/signals";
import type { InboxItem } from "../../serve/contract/contract.ts";
import { inbox } from "../api/known.ts";
import { query, setQuery } from "../route/route.ts";

/** What was answered here a moment ago: it leaves the list at once, and not only when the server says so. */
const answered = signal<ReadonlySet<string>>(new Set());

/** What waits, oldest first; null before the first answer of the server. */
export const waiting = computed<readonly InboxItem[] | null>(() => {
  const project = query.value.get("project");
  const items = inbox.value?.filter((item) => project === null || item.project === project) ?? null;
  return items?.filter(({ id }) => !answered.value.has(id)) ?? null;
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

/** Takes an item out of the list; the one after it is selected. */
export function leave({ id }: InboxItem): void {
  const items = waiting.value ?? [];
  const index = items.findIndex((item) => item.id === id);
  const next = items[index + 1] ?? items[index - 1] ?? null;
  answered.value = new Set([...answered.value, id]);
  select(next?.id ?? null);
}

/** The same wait can come back, for example after a retry that failed again. */
export function forgetAnswered(): void {
  if (answered.value.size > 0) answered.value = new Set();
}
