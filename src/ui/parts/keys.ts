import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

/** `keys` is one key as the browser names it, or several one after another: `j`, `Enter`, `g r`. */
export interface Binding {
  readonly keys: string;
  readonly label: string;
  readonly run: () => void;
}

export interface KeyGroup {
  readonly title: string;
  readonly bindings: readonly Binding[];
}

/** What the keyboard can do on this screen, for the help sheet. */
export const keyGroups = signal<readonly KeyGroup[]>([]);

const pauseBetween = 1_000;
let pressed: readonly string[] = [];
let last = 0;

/** Binds keys for as long as the component is shown. The newest binding of a key wins. */
export function useKeys(title: string, bindings: readonly Binding[]): void {
  const latest = useRef(bindings);
  latest.current = bindings;
  const names = bindings.map(({ keys, label }) => `${keys}:${label}`).join("|");
  useEffect(() => {
    const group: KeyGroup = {
      title,
      bindings: latest.current.map((binding, index) => ({ ...binding, run: () => latest.current[index]?.run() })),
    };
    keyGroups.value = [...keyGroups.value, group];
    return () => {
      keyGroups.value = keyGroups.value.filter((each) => each !== group);
    };
  }, [title, names]);
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.key === "Escape" && isTyping(event.target)) {
    (event.target as HTMLElement).blur();
    return;
  }
  if (isTyping(event.target) || document.querySelector("dialog[open]") !== null) return;
  pressed = event.timeStamp - last > pauseBetween ? [event.key] : [...pressed, event.key].slice(-2);
  last = event.timeStamp;
  const found = bindingFor(pressed.join(" ")) ?? bindingFor(event.key);
  if (found === undefined) return;
  event.preventDefault();
  pressed = [];
  found.run();
});

function bindingFor(keys: string): Binding | undefined {
  return keyGroups.value.flatMap((group) => group.bindings).findLast((binding) => binding.keys === keys);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;
}
