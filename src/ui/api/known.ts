import { computed, signal } from "@preact/signals";
import type { InboxItem, Me, ProjectRow } from "../../serve/contract/contract.ts";
import { readInbox, readMe, readProjects } from "./calls.ts";
import { asProblem, type Problem } from "./request.ts";

// What every screen may need: who looks at the page, the projects, and what waits for a person.

export const me = signal<Me | null>(null);
export const projects = signal<readonly ProjectRow[]>([]);
export const inbox = signal<readonly InboxItem[] | null>(null);
export const trouble = signal<Problem | null>(null);

/** Whether the page may decide something. */
export const canAct = computed(() => me.value?.level === "person");

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

let isReading = false;
let isStale = false;

/** Reads the inbox; calls that come in the meantime become one more reading. */
export async function refreshInbox(): Promise<void> {
  isStale = true;
  if (isReading) return;
  isReading = true;
  try {
    while (isStale) {
      isStale = false;
      inbox.value = await readInbox();
    }
  } catch {
    // The header shows that the server does not answer, and a new connection reads the inbox again.
  } finally {
    isReading = false;
  }
}
