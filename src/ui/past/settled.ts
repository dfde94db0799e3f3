import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { asProblem, isAborted, type Problem } from "../api/request.ts";

export interface Settled<T> {
  /** The newest answer. It stays until the next one is there, so that nothing flickers while the slider moves. */
  readonly data: Signal<T | null>;
  readonly problem: Signal<Problem | null>;
  /** Whether a newer answer than the one shown is on its way. */
  readonly isBehind: Signal<boolean>;
}

/** Reads what belongs to `key` once the key has stayed the same for a while. An answer that comes too late is ignored. */
export function useSettled<T>(key: string, delayMs: number, load: (signal: AbortSignal) => Promise<T>): Settled<T> {
  const data = useSignal<T | null>(null);
  const problem = useSignal<Problem | null>(null);
  const isBehind = useSignal(true);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const control = new AbortController();
    const read = async () => {
      try {
        const value = await latest.current(control.signal);
        if (control.signal.aborted) return;
        data.value = value;
        problem.value = null;
      } catch (error) {
        if (isAborted(error) || control.signal.aborted) return;
        problem.value = asProblem(error);
      }
      isBehind.value = false;
    };
    isBehind.value = true;
    const timer = setTimeout(() => void read(), data.value === null ? 0 : delayMs);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [key]);
  return { data, problem, isBehind };
}
