import { type Signal, useSignal } from "@preact/signals";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { asProblem, isAborted, type Problem } from "./request.ts";

export interface Loaded<T> {
  /** Stays while it is read again, so that nothing flickers; null before the first answer. */
  readonly data: Signal<T | null>;
  readonly problem: Signal<Problem | null>;
  /**
   * Reads again; several calls within a moment become one. What is being read is waited for: of a run that moves all the
   * time, nothing would ever be shown otherwise.
   */
  readonly reload: () => void;
}

const gap = 250;

/** Reads something when the component is shown and whenever `key` changes, and again when it is told to. */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const data = useSignal<T | null>(null);
  const problem = useSignal<Problem | null>(null);
  const latest = useRef(load);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const control = useRef<AbortController | null>(null);
  const asked = useRef(0);
  latest.current = load;

  const read = useCallback(async (): Promise<void> => {
    asked.current += 1;
    if (control.current !== null) return;
    const before = asked.current;
    const own = new AbortController();
    control.current = own;
    try {
      const value = await latest.current(own.signal);
      if (own.signal.aborted) return;
      data.value = value;
      problem.value = null;
    } catch (error) {
      if (isAborted(error) || own.signal.aborted) return;
      problem.value = asProblem(error);
    }
    control.current = null;
    if (asked.current !== before) void read();
  }, [data, problem]);

  useEffect(() => {
    data.value = null;
    problem.value = null;
    void read();
    return () => {
      control.current?.abort();
      control.current = null;
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [key]);

  const reload = useCallback(() => {
    if (timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      void read();
    }, gap);
  }, [read]);
  return { data, problem, reload };
}
