import { useSignal } from "@preact/signals";
import type { VisitDetails as Details, VisitEvent, VisitRow } from "../../serve/contract/run-answers.ts";
import { ask } from "../api/calls.ts";
import { useLoaded } from "../api/load.ts";
import { clock } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { Loading, ProblemNote } from "../parts/notes.tsx";
import { slowNow } from "../parts/now.tsx";
import { Lines, Words } from "../parts/words.tsx";
import { pastHref } from "../route/route.ts";
import { type Check, checksIn, eventWords, longTexts } from "./event-words.ts";

interface Props {
  readonly project: string;
  readonly run: string;
  readonly row: VisitRow;
}

const atOnce = 100;
/** As many as the server gives at a time. */
const mostAtOnce = 1_000;

/** Reads the first events of a visit, part by part. */
async function readEvents(
  project: string,
  visit: { readonly run: string; readonly token: string },
  most: number,
  signal: AbortSignal,
): Promise<Details> {
  let found = await ask<Details>(project, "visit", { ...visit, count: Math.min(most, mostAtOnce) }, signal);
  while (found.next !== null && found.events.length < most) {
    const count = Math.min(most - found.events.length, mostAtOnce);
    const more = await ask<Details>(project, "visit", { ...visit, after: found.next, count }, signal);
    found = { ...more, events: [...found.events, ...more.events] };
  }
  return found;
}

/** What happened in one visit: its attempts, gates, context actions and every event. */
export function VisitDetails({ project, run, row }: Props) {
  const most = useSignal(atOnce);
  const { token, lastEvent, status } = row;
  // Read again when the visit goes on, but not shown as empty in between.
  const details = useLoaded(`${token}`, (signal) => readEvents(project, { run, token }, most.value, signal));
  const stamp = useSignal(`${lastEvent} ${status}`);
  if (stamp.value !== `${lastEvent} ${status}`) {
    stamp.value = `${lastEvent} ${status}`;
    details.reload();
  }
  const found = details.data.value;
  return (
    <div class="visit-details">
      {details.problem.value !== null && <ProblemNote problem={details.problem.value} />}
      {found === null && details.problem.value === null && <Loading what="the visit" />}
      {found !== null && (
        <>
          <ol class="events">
            {found.events.map((event) => (
              <EventLine key={event.seq} event={event} project={project} run={run} />
            ))}
          </ol>
          {found.next !== null && (
            <button
              type="button"
              class="button"
              onClick={() => {
                most.value += atOnce * 4;
                details.reload();
              }}
            >
              Show more events
            </button>
          )}
        </>
      )}
    </div>
  );
}

function EventLine({ event, project, run }: { event: VisitEvent; project: string; run: string }) {
  return (
    <li class="event">
      <time class="number" dateTime={event.at}>
        {clock(event.at, slowNow.value)}
      </time>
      <div class="event-body">
        <p>
          <Words text={eventWords(event)} />
        </p>
        {checksIn(event).map((check) => (
          <CheckResult key={check.name} check={check} />
        ))}
        {longTexts(event).map(({ name, text }) => (
          <Lines key={name} label={name} text={text} />
        ))}
      </div>
      <a class="event-number number" href={pastHref(project, run, event.seq)} title="The run as it was then">
        {event.seq}
      </a>
    </li>
  );
}

function CheckResult({ check }: { readonly check: Check }) {
  return (
    <details class="check" open={!check.isHeld}>
      <summary>
        <span class={`mark mark-${check.isHeld ? "done" : "failed"}`}>
          <Icon name={check.isHeld ? "done" : "failed"} />
          {check.isHeld ? "passed" : "failed"}
        </span>
        <Words text={check.name} />
      </summary>
      {check.tail !== "" && <Lines label={`Output of ${check.name}`} text={check.tail} />}
    </details>
  );
}
