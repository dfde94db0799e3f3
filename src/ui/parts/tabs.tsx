import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

export interface Tab<T extends string> {
  readonly id: T;
  readonly name: ComponentChildren;
}

interface Props<T extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<T>[];
  readonly chosen: T;
  readonly onChoose: (id: T) => void;
  readonly children: ComponentChildren;
}

/** Tabs with the panel of the chosen one. Arrow keys move between them. */
export function Tabs<T extends string>({ label, tabs, chosen, onChoose, children }: Props<T>) {
  const id = useId();
  const bar = useRef<HTMLDivElement>(null);
  // On a phone the bar is wider than the screen.
  useLayoutEffect(() => {
    bar.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [chosen]);
  const moves: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };
  return (
    <div class="tabs">
      <div
        ref={bar}
        class="tab-bar"
        role="tablist"
        aria-label={label}
        onKeyDown={(event) => {
          const by = moves[event.key];
          if (by === undefined) return;
          event.preventDefault();
          const index = tabs.findIndex((tab) => tab.id === chosen);
          const next = tabs[(index + by + tabs.length) % tabs.length];
          if (next === undefined) return;
          onChoose(next.id);
          bar.current?.querySelector<HTMLElement>(`#${CSS.escape(`${id}-${next.id}`)}`)?.focus();
        }}
      >
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            class="tab"
            aria-selected={tab.id === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => onChoose(tab.id)}
          >
            {tab.name}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </div>
  );
}
