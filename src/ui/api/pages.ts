import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { asProblem, isAborted, type Problem } from "./request.ts";

export interface Page<T> {
  readonly total: number;
  readonly rows: readonly T[];
}

/** A long list of which only the pages are read that are shown. */
export interface Pages<T> {
  /** Null before the first answer. */
  readonly total: ReadonlySignal<number | null>;
  readonly problem: ReadonlySignal<Problem | null>;
  /** Changes with every answer, for components that use `at`. */
  readonly version: ReadonlySignal<number>;
  /** Undefined for a row that was not read yet. */
  at(index: number): T | undefined;
  /** Tells which rows are shown. */
  show(first: number, last: number): void;
  /** Reads the shown rows again; several calls within a moment become one. Pages that are being read are waited for. */
  reload(): void;
  /** Replaces rows that are in memory already. */
  replace(change: (row: T) => T): void;
  close(): void;
}

type Load<T> = (from: number, count: number, signal: AbortSignal) => Promise<Page<T>>;

const pageSize = 100;
const gap = 250;

export function usePages<T>(key: string, load: Load<T>): Pages<T> {
  // `key` stands for everything that `load` depends on.
  const pages = useMemo(() => createPages(load), [key]);
  useEffect(() => {
    pages.show(0, 0);
    return () => pages.close();
  }, [pages]);
  return pages;
}

function createPages<T>(load: Load<T>): Pages<T> {
  const state = {
    rows: new Map<number, readonly T[]>(),
    /** Pages whose last reading began before the last `reload`: they are shown until the new ones are there. */
    stale: new Set<number>(),
    reading: new Map<number, AbortController>(),
    shown: { first: 0, last: 0 },
    timer: undefined as ReturnType<typeof setTimeout> | undefined,
  };
  const total: Signal<number | null> = signal(null);
  const problem: Signal<Problem | null> = signal(null);
  const version = signal(0);

  const read = async (page: number) => {
    const control = new AbortController();
    state.reading.set(page, control);
    state.stale.delete(page);
    try {
      const found = await load(page * pageSize, pageSize, control.signal);
      if (control.signal.aborted) return;
      state.reading.delete(page);
      state.rows.set(page, found.rows);
      total.value = found.total;
      problem.value = null;
      version.value += 1;
      if (state.stale.has(page)) readShown();
    } catch (error) {
      if (isAborted(error) || control.signal.aborted) return;
      state.reading.delete(page);
      state.stale.add(page);
      problem.value = asProblem(error);
    }
  };

  const readShown = () => {
    const first = Math.floor(state.shown.first / pageSize);
    const last = Math.floor(Math.min(state.shown.last, Math.max(0, (total.value ?? 1) - 1)) / pageSize);
    // Whoever scrolls far passes many pages, and wants to see only the last ones.
    for (const [page, control] of state.reading) {
      if (page >= first && page <= last) continue;
      control.abort();
      state.reading.delete(page);
      state.stale.add(page);
    }
    for (let page = first; page <= last; page += 1) {
      const isKnown = state.rows.has(page) && !state.stale.has(page);
      if (!(isKnown || state.reading.has(page))) void read(page);
    }
  };

  const stop = () => {
    for (const control of state.reading.values()) control.abort();
    state.reading.clear();
    clearTimeout(state.timer);
    state.timer = undefined;
  };

  return {
    total,
    problem,
    version,
    at: (index) => state.rows.get(Math.floor(index / pageSize))?.[index % pageSize],
    show(first, last) {
      state.shown = { first, last };
      readShown();
    },
    reload() {
      if (state.timer !== undefined) return;
      state.timer = setTimeout(() => {
        state.timer = undefined;
        state.stale = new Set([...state.rows.keys(), ...state.reading.keys()]);
        readShown();
      }, gap);
    },
    replace(change) {
      for (const [page, rows] of state.rows) state.rows.set(page, rows.map(change));
      version.value += 1;
    },
    close: stop,
  };
}
