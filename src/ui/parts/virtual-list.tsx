import { type Signal, useSignal } from "@preact/signals";
import { Component, type ComponentChildren, type RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** Moves the focus from row to row. */
export interface ListHandle {
  readonly count: number;
  move(by: number): void;
  hasFocus(): boolean;
}

interface Props {
  readonly label: string;
  readonly count: number;
  /** The height of every row, in rem. */
  readonly rowHeight: number;
  readonly keyAt: (index: number) => string;
  /** A row must hold one element with the class `row-target`, which gets the focus. */
  readonly row: (index: number) => ComponentChildren;
  readonly onShow?: (first: number, last: number) => void;
  readonly handle?: RefObject<ListHandle | null> | ((handle: ListHandle | null) => void);
  /** The row that is open, and what is shown below it; it may have any height. */
  readonly opened?: { readonly index: number; readonly content: ComponentChildren } | null;
}

const spare = 4;
/** The rows change in steps of this many, so that most movements of a finger or wheel draw nothing. */
const step = 4;

/** A list of any length of which only the visible rows exist. It scrolls with whatever it is in. */
export function VirtualList({ label, count, rowHeight, keyAt, row, onShow, handle, opened = null }: Props) {
  const box = useRef<HTMLUListElement>(null);
  const range = useSignal({ first: 0, last: 20 });
  const visible = useRef(0);
  const openHeight = useSignal(0);
  const openIndex = opened?.index ?? -1;
  const height = rowHeight * remSize();
  const extra = openIndex >= 0 && openIndex < count ? openHeight.value : 0;
  const top = (index: number) => index * height + (openIndex >= 0 && index > openIndex ? extra : 0);

  const measure = () => {
    const element = box.current;
    if (element === null || element.offsetParent === null) return;
    const above = -element.getBoundingClientRect().top;
    const at = (y: number) => Math.floor((y > top(openIndex) + height && openIndex >= 0 ? y - extra : y) / height);
    visible.current = Math.max(0, Math.ceil((above - extra) / height));
    const first = Math.max(0, Math.floor((Math.min(count - 1, at(above)) - spare) / step) * step);
    const last = Math.min(count - 1, Math.ceil((Math.max(0, at(above + innerHeight)) + spare) / step) * step);
    const { value } = range;
    if (value.first !== first || value.last !== last) range.value = { first, last };
  };
  const latest = useRef(measure);
  latest.current = measure;
  useScroll(box, latest);
  useLayoutEffect(measure);
  const { first, last } = range.value;
  useEffect(() => {
    if (count > 0) onShow?.(first, Math.max(first, last));
  }, [first, last, count, onShow]);

  const focused = useFocus(box, count, visible, handle);

  return (
    <ul
      ref={box}
      class="virtual"
      aria-label={label}
      style={{ height: `${count * height + extra}px` }}
      onFocusIn={(event) => {
        const item = event.target instanceof Element ? event.target.closest("[data-index]") : null;
        if (item !== null) focused.value = Number(item.getAttribute("data-index"));
      }}
    >
      {shownIndexes(first, last, count, focused.value, openIndex).map((index) => (
        <li
          key={keyAt(index)}
          data-index={index}
          aria-setsize={count}
          aria-posinset={index + 1}
          style={{ transform: `translateY(${top(index)}px)` }}
        >
          <div class="virtual-row" style={{ height: `${height}px` }}>
            {row(index)}
          </div>
          {index === openIndex && (
            <Measured onHeight={(value) => (openHeight.value = value)}>{opened?.content}</Measured>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The row that has the focus, and the handle that moves it. */
function useFocus(
  box: RefObject<HTMLUListElement | null>,
  count: number,
  visible: { readonly current: number },
  handle: Props["handle"],
): Signal<number> {
  const focused = useSignal(-1);
  const wanted = useRef(-1);
  useLayoutEffect(() => {
    if (wanted.current < 0) return;
    const target = box.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"] .row-target`);
    wanted.current = -1;
    target?.focus({ preventScroll: true });
    target?.closest("li")?.scrollIntoView({ block: "nearest" });
  });
  const hasFocus = () => box.current?.contains(document.activeElement) === true;
  useEffect(() => {
    const own: ListHandle = {
      count,
      hasFocus,
      move(by) {
        const wished = hasFocus() ? focused.value + by : visible.current;
        const next = Math.max(0, Math.min(count - 1, wished));
        if (count === 0) return;
        wanted.current = next;
        focused.value = -1;
        focused.value = next;
      },
    };
    if (typeof handle === "function") handle(own);
    else if (handle !== undefined) handle.current = own;
  }, [count, handle]);
  return focused;
}

/** The rows in sight, the one with the focus, and the one that is open: it keeps what is in it. */
function shownIndexes(first: number, last: number, count: number, ...others: readonly number[]): readonly number[] {
  const shown = new Set<number>();
  for (let index = first; index <= last && index < count; index += 1) shown.add(index);
  for (const index of others) if (index >= 0 && index < count) shown.add(index);
  return [...shown].sort((a, b) => a - b);
}

function Measured({ children, onHeight }: { children: ComponentChildren; onHeight: (height: number) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(onHeight);
  latest.current = onHeight;
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => latest.current(element.offsetHeight));
    observer.observe(element);
    latest.current(element.offsetHeight);
    return () => observer.disconnect();
  }, []);
  return <div ref={box}>{children}</div>;
}

/** Whatever scrolls around the list, and whenever the window changes its size; at most once a frame. */
function useScroll(box: RefObject<HTMLElement | null>, measure: { readonly current: () => void }): void {
  useEffect(() => {
    let frame = 0;
    const again = (event: Event) => {
      const isAround = !(event.target instanceof Node) || event.target.contains(box.current);
      if (frame !== 0 || !isAround) return;
      frame = requestAnimationFrame(() => {
        frame = 0;
        measure.current();
      });
    };
    document.addEventListener("scroll", again, { capture: true, passive: true });
    addEventListener("resize", again);
    return () => {
      cancelAnimationFrame(frame);
      document.removeEventListener("scroll", again, { capture: true });
      removeEventListener("resize", again);
    };
  }, [box, measure]);
}

interface KeptProps {
  /** Everything that the content depends on. */
  readonly of: readonly unknown[];
  readonly children: () => ComponentChildren;
}

/** Draws its content again only if one of the values it is made of is another one. */
export class Kept extends Component<KeptProps> {
  override shouldComponentUpdate(next: KeptProps): boolean {
    return next.of.some((value, index) => value !== this.props.of[index]);
  }

  override render() {
    return this.props.children();
  }
}

function remSize(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
}
