import { useSignal } from "@preact/signals";
import { useCallback, useLayoutEffect, useRef } from "preact/hooks";
import type { VisitRow } from "../../serve/contract/run-answers.ts";
import { readTimeline } from "../api/calls.ts";
import { useLive } from "../api/live.ts";
import { usePages } from "../api/pages.ts";
import { plural } from "../parts/format.ts";
import { useKeys } from "../parts/keys.ts";
import { Loading, ProblemNote } from "../parts/notes.tsx";
import { SearchBox } from "../parts/search-box.tsx";
import { Kept, type ListHandle, VirtualList } from "../parts/virtual-list.tsx";
import { query, setQuery } from "../route/route.ts";
import { isAbout } from "./about.ts";
import { VisitDetails } from "./visit-details.tsx";
import { VisitLine } from "./visit-line.tsx";

const rowHeight = 3.5;

/** The visits of a run, newest first. The server numbers them from the oldest, so a new one changes no number. */
export function Timeline({ project, run }: { readonly project: string; readonly run: string }) {
  const find = query.value.get("find") ?? "";
  const open = useSignal<{ readonly find: string; readonly number: number } | null>(null);
  // A number counts among the visits that were found, so another search leaves none open.
  const opened = open.value?.find === find ? open.value.number : null;
  const list = useRef<ListHandle | null>(null);
  const pages = usePages<VisitRow>(`${project}/${run}?${find}`, async (from, count, signal) => {
    const { total, rows } = await readTimeline(project, { run, search: find, from, count }, signal);
    return { total, rows };
  });
  useLive((message) => isAbout(message, project, run) && pages.reload());
  useKeys("Timeline", [
    { keys: "j", label: "Older visit", run: () => list.current?.move(1) },
    { keys: "k", label: "Newer visit", run: () => list.current?.move(-1) },
  ]);
  const total = pages.total.value ?? 0;
  const frame = useKeepPlace(total);
  const { show } = pages;
  const onShow = useCallback((first: number, last: number) => show(total - 1 - last, total - 1 - first), [show, total]);
  void pages.version.value;
  const numberOf = (index: number) => total - 1 - index;
  const openRow = opened === null ? undefined : pages.at(opened);
  return (
    <div ref={frame} class="timeline">
      <div class="timeline-head">
        <SearchBox label="Search visits" value={find} onChange={(value) => setQuery({ find: value })} />
        <p class="muted number" role="status">
          {pages.total.value === null ? "" : plural(total, "visit")}
        </p>
      </div>
      {pages.problem.value !== null && <ProblemNote problem={pages.problem.value} />}
      {pages.total.value === null && pages.problem.value === null && <Loading what="the visits" />}
      <VirtualList
        key={find}
        label="Visits, newest first"
        count={total}
        rowHeight={rowHeight}
        keyAt={(index) => String(numberOf(index))}
        row={(index) => {
          const number = numberOf(index);
          const isOpen = opened === number;
          return (
            <Kept of={[pages.at(number), number, isOpen]}>
              {() => (
                <VisitLine
                  row={pages.at(number)}
                  isOpen={isOpen}
                  onToggle={() => (open.value = isOpen ? null : { find, number })}
                />
              )}
            </Kept>
          );
        }}
        onShow={onShow}
        handle={list}
        opened={
          opened === null || openRow === undefined
            ? null
            : {
                index: total - 1 - opened,
                content: <VisitDetails key={openRow.firstEvent} project={project} run={run} row={openRow} />,
              }
        }
      />
    </div>
  );
}

/** New rows come in at the top: whoever has scrolled down keeps what they read in its place. */
function useKeepPlace(total: number) {
  const frame = useRef<HTMLDivElement>(null);
  const before = useRef(total);
  useLayoutEffect(() => {
    const added = before.current === 0 ? 0 : total - before.current;
    before.current = total;
    const scroller = scrollerOf(frame.current);
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    if (added > 0 && scroller !== null && scroller.scrollTop > rowHeight * rem)
      scroller.scrollTop += added * rowHeight * rem;
  }, [total]);
  return frame;
}

function scrollerOf(element: Element | null): Element | null {
  for (let each = element; each !== null; each = each.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(each).overflowY)) return each;
  }
  return document.scrollingElement;
}
