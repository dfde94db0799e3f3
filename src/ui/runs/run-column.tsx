import { useCallback } from "preact/hooks";
import type { Column, RunsPage } from "../../serve/contract/contract.ts";
import { readRuns } from "../api/calls.ts";
import { useLive } from "../api/live.ts";
import { usePages } from "../api/pages.ts";
import { ProblemNote } from "../parts/notes.tsx";
import { Kept, type ListHandle, VirtualList } from "../parts/virtual-list.tsx";
import { Card } from "./run-card.tsx";

interface Props {
  readonly column: Column;
  readonly name: string;
  readonly search: string;
  readonly project: string | null;
  /** How many runs it has, as the answer for another column tells; undefined before the first one. */
  readonly known: number | undefined;
  /** Every answer has the counts of all columns. */
  readonly onPage: (page: RunsPage) => void;
  readonly handle: (column: Column, handle: ListHandle | null) => void;
}

/** The height of a card with the space below it. */
const cardHeight = 7.25;

export function RunColumn({ column, name, search, project, known, onPage, handle }: Props) {
  const pages = usePages(`${column}|${search}|${project}`, async (from, count, signal) => {
    const page = await readRuns({ column, search, project: project ?? undefined, from, count }, signal);
    onPage(page);
    return { total: page.total, rows: page.cards };
  });
  useLive((message) => {
    if (message.type === "run") {
      const { card } = message;
      pages.replace((row) => (row.runId === card.runId && row.project === card.project ? card : row));
    }
    if (message.type !== "moved") pages.reload();
  });
  const setHandle = useCallback((own: ListHandle | null) => handle(column, own), [column, handle]);
  const version = pages.version.value;
  const total = pages.total.value ?? (known === 0 ? 0 : null);
  if (pages.problem.value !== null && total === null) return <ProblemNote problem={pages.problem.value} />;
  if (total === null) return <Unread />;
  if (total === 0) return <p class="column-empty">{emptyWords[column]}</p>;
  return (
    <VirtualList
      key={`${search}|${project}`}
      label={name}
      count={total}
      rowHeight={cardHeight}
      keyAt={(index) => {
        const card = pages.at(index);
        return card === undefined ? `${version}-${index}` : `${card.project}/${card.runId}`;
      }}
      row={(index) => <Kept of={[pages.at(index)]}>{() => <Card card={pages.at(index)} />}</Kept>}
      onShow={pages.show}
      handle={setHandle}
    />
  );
}

/** While the runs are read for the first time, which takes a moment where there are thousands. */
function Unread() {
  return (
    <div class="column-unread" aria-busy="true">
      <span class="unseen">Reading the runs</span>
      <div class="column-blank" />
      <div class="column-blank" />
    </div>
  );
}

const emptyWords: Readonly<Record<Column, string>> = {
  "needs-you": "Nothing waits for you",
  working: "No run is being worked on",
  waiting: "No run is waiting",
  done: "No run is done yet",
  failed: "No run has failed",
};
