import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { refreshInbox } from "../api/known.ts";
import { plural } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { Key } from "../parts/key.tsx";
import { useKeys } from "../parts/keys.ts";
import { Empty, Loading, ProblemNote } from "../parts/notes.tsx";
import { go, inboxHref, runHref } from "../route/route.ts";
import { InboxDetails } from "./inbox-item.tsx";
import { InboxList } from "./inbox-list.tsx";
import { failure, isPicked, isReplaced, select, selected, selectNeighbour, waiting } from "./selection.ts";

/** Everything that waits for a person, over all runs: one list, and beside it what is needed to decide. */
export function InboxScreen() {
  const done = useSignal("");
  const items = waiting.value;
  const item = selected.value;
  useEffect(() => void refreshInbox(), []);
  useKeys("Inbox", [
    { keys: "j", label: "Next", run: () => selectNeighbour(1) },
    { keys: "k", label: "Previous", run: () => selectNeighbour(-1) },
    { keys: "o", label: "Open the run", run: () => item !== null && go(runHref(item.project, item.runId)) },
  ]);
  return (
    <>
      <h1 class="unseen">Inbox</h1>
      <p class="unseen" role="status">
        {isReplaced.value ? `Now shown: ${item?.summary ?? item?.title}` : done.value}
      </p>
      {failure.value !== null && <FailureNote {...failure.value} />}
      {items === null && <Loading what="what waits for you" />}
      {items !== null && item === null && <NothingWaits />}
      {items !== null && item !== null && (
        <div class={`inbox ${isPicked.value ? "inbox-picked" : ""}`}>
          <section class="inbox-side" aria-labelledby="inbox-heading">
            <header class="inbox-head">
              <h2 id="inbox-heading">Inbox</h2>
              <span class="muted">{plural(items.length, "waits", "wait")} for you</span>
            </header>
            <InboxList items={items} selectedId={item.id} />
            <p class="inbox-hint muted">
              <kbd>j</kbd> <kbd>k</kbd> to move, a letter to answer
            </p>
          </section>
          <div class="inbox-main">
            <a class="inbox-back" href={inboxHref()} onClick={() => select(null)}>
              <Icon name="previous" /> All {items.length}
            </a>
            <InboxDetails item={item} onDone={(words) => (done.value = words)} />
          </div>
        </div>
      )}
    </>
  );
}

function FailureNote({ about, problem }: NonNullable<typeof failure.value>) {
  const dismiss = () => (failure.value = null);
  useKeys("Message", [{ keys: "Escape", label: "Dismiss", run: dismiss }]);
  return (
    <div class="inbox-failure">
      <ProblemNote problem={problem} about={about}>
        <button type="button" class="button" aria-keyshortcuts="Escape" onClick={dismiss}>
          Dismiss
          <Key name="Esc" />
        </button>
      </ProblemNote>
    </div>
  );
}

function NothingWaits() {
  return (
    <Empty icon="done" title="Nothing waits for you">
      <p>
        Approvals, questions, spent budgets and failed steps of all your runs come here as soon as they need you.{" "}
        <a href="/runs">All runs</a>
      </p>
    </Empty>
  );
}
