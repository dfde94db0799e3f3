import { type Signal, useSignal } from "@preact/signals";
import { useCallback, useRef } from "preact/hooks";
import type { Column, RunsPage } from "../../serve/contract/contract.ts";
import { useLive } from "../api/live.ts";
import { Icon } from "../parts/icon.tsx";
import { useKeys } from "../parts/keys.ts";
import { columnNames, columns } from "../parts/mark.tsx";
import { media } from "../parts/media.ts";
import { Empty } from "../parts/notes.tsx";
import { SearchBox } from "../parts/search-box.tsx";
import { Tabs } from "../parts/tabs.tsx";
import type { ListHandle } from "../parts/virtual-list.tsx";
import { Words } from "../parts/words.tsx";
import { query, setQuery } from "../route/route.ts";
import { RunColumn } from "./run-column.tsx";
import { TeamNotes } from "./team-notes.tsx";

const isWide = media("(min-width: 64rem)");

export function RunsScreen() {
  const page = useSignal<RunsPage | null>(null);
  const lists = useRef(new Map<Column, ListHandle>());
  const search = query.value.get("search") ?? "";
  const project = query.value.get("project");
  const onPage = useCallback((read: RunsPage) => (page.value = read), [page]);
  const handle = useCallback((column: Column, list: ListHandle | null) => {
    if (list === null) lists.current.delete(column);
    else lists.current.set(column, list);
  }, []);
  useBoardKeys(lists.current);
  const shared = { search, project, onPage, handle };
  const counts = page.value?.counts;
  const all = counts === undefined ? null : columns.reduce((sum, column) => sum + counts[column], 0);
  return (
    <>
      <div class="runs-head">
        <h1>Runs</h1>
        <SearchBox label="Search runs" value={search} onChange={(value) => setQuery({ search: value })} />
      </div>
      <Damaged damaged={page.value?.damaged ?? []} />
      <TeamNotes teams={page.value?.teams ?? []} />
      {all === 0 && search === "" ? (
        <FirstSteps onRun={() => (page.value = null)} />
      ) : isWide.value ? (
        <div class="board">
          {columns.map((column) => (
            <section key={column} class="board-column" aria-label={columnNames[column]}>
              <h2 class={`column-head column-head-${column}`}>
                <ColumnTitle column={column} page={page} />
              </h2>
              <div class="column-list">
                <RunColumn column={column} name={columnNames[column]} known={counts?.[column]} {...shared} />
              </div>
            </section>
          ))}
        </div>
      ) : (
        <OneColumn page={page} {...shared} />
      )}
    </>
  );
}

type Shared = Omit<Parameters<typeof RunColumn>[0], "column" | "name" | "known">;

/** On a narrow screen the columns are tabs; the first one with something in it is chosen. */
function OneColumn({ page, ...shared }: Shared & { readonly page: Signal<RunsPage | null> }) {
  const counts = page.value?.counts;
  const first = columns.find((column) => (counts?.[column] ?? 0) > 0) ?? "needs-you";
  const named = columns.find((column) => column === query.value.get("column"));
  const chosen = useRef<Column | null>(null);
  if (counts !== undefined) chosen.current ??= first;
  const column = named ?? chosen.current ?? first;
  return (
    <Tabs
      label="Runs by state"
      tabs={columns.map((id) => ({ id, name: <ColumnTitle column={id} page={page} /> }))}
      chosen={column}
      onChoose={(id) => setQuery({ column: id })}
    >
      <RunColumn key={column} column={column} name={columnNames[column]} known={counts?.[column]} {...shared} />
    </Tabs>
  );
}

function ColumnTitle({ column, page }: { readonly column: Column; readonly page: Signal<RunsPage | null> }) {
  const count = page.value?.counts[column];
  return (
    <>
      <span class={`mark mark-${column}`}>
        <Icon name={column} />
        <span class="column-name">{columnNames[column]}</span>
      </span>
      <span class="column-count number">{count?.toLocaleString("en") ?? ""}</span>
    </>
  );
}

function Damaged({ damaged }: { readonly damaged: RunsPage["damaged"] }) {
  if (damaged.length === 0) return null;
  return (
    <details class="note note-failed damaged">
      <summary>
        <Icon name="warning" /> {damaged.length === 1 ? "One run" : `${damaged.length} runs`} cannot be read
      </summary>
      <ul>
        {damaged.map(({ project, runId, problem, next }) => (
          <li key={`${project}/${runId}`}>
            <strong>
              <Words text={runId} />
            </strong>
            : <Words text={problem} /> <span class="note-next">{next !== "" && <Words text={next} />}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Takes the place of the columns, so it has to notice itself when there is something for them. */
function FirstSteps({ onRun }: { readonly onRun: () => void }) {
  useLive((message) => message.type !== "moved" && onRun());
  return (
    <Empty icon="runs" title="No runs yet">
      <p>Set a project up once, then start a workflow. Its run appears here at once.</p>
      <pre class="first-steps">
        <code>{"holdfast init\nholdfast list\nholdfast start <workflow>"}</code>
      </pre>
    </Empty>
  );
}

function useBoardKeys(lists: ReadonlyMap<Column, ListHandle>): void {
  const filled = () => columns.flatMap((column) => lists.get(column) ?? []).filter(({ count }) => count > 0);
  const current = () => filled().find((list) => list.hasFocus());
  const move = (by: number) => (current() ?? filled()[0])?.move(by);
  const aside = (by: number) => {
    const all = filled();
    const index = all.findIndex((list) => list.hasFocus());
    all[Math.max(0, Math.min(all.length - 1, index + by))]?.move(1);
  };
  useKeys("Runs", [
    { keys: "j", label: "Next run", run: () => move(1) },
    { keys: "k", label: "Previous run", run: () => move(-1) },
    { keys: "l", label: "Next column", run: () => aside(1) },
    { keys: "h", label: "Previous column", run: () => aside(-1) },
    { keys: "Enter", label: "Open the run", run: () => openFocused() },
  ]);
}

function openFocused(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.click();
}
