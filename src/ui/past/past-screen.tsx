import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Differences, RunOverview } from "../../serve/contract/query-answers.ts";
import type { RunGraph } from "../../serve/contract/run-answers.ts";
import { ask, readGraph, readShown, readTimeline } from "../api/calls.ts";
import { useLive } from "../api/live.ts";
import { useLoaded } from "../api/load.ts";
import { StepGraph } from "../graph/step-graph.tsx";
import { whole } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { useKeys } from "../parts/keys.ts";
import { Loading, ProblemNote } from "../parts/notes.tsx";
import { Words } from "../parts/words.tsx";
import { query, runHref, setQuery } from "../route/route.ts";
import { ChangesPanel } from "./changes-panel.tsx";
import { useSettled } from "./settled.ts";
import { ShownPanel } from "./shown-panel.tsx";
import { Slider } from "./slider.tsx";
import { momentWords, StatePanel } from "./state-panel.tsx";
import { VisitIndex } from "./visit-index.ts";

interface Props {
  readonly project: string;
  readonly run: string;
}

/** How many visits are marked on the slider. */
const mostMarks = 300;

/** Any moment of a run: where it stood, what the model was shown, and what has changed since. */
export function PastScreen({ project, run }: Props) {
  const visits = useLoaded(`${project} ${run}`, (signal) =>
    readTimeline(project, { run, from: 0, count: mostMarks + 1 }, signal),
  );
  const index = useMemo(() => new VisitIndex(project, run), [project, run]);
  useLive((message) => {
    const isOfThisRun = message.type === "moved" && message.runId === run && message.project === project;
    if (!isOfThisRun && message.type !== "reset") return;
    index.forgetLast();
    visits.reload();
  });
  const timeline = visits.data.value;
  if (timeline === null) {
    const { value } = visits.problem;
    return value === null ? <Loading what="the run" /> : <ProblemNote problem={value} />;
  }
  return <Moments project={project} run={run} last={timeline.lastEvent} rows={timeline.rows} index={index} />;
}

interface MomentsProps extends Props {
  readonly last: number;
  readonly rows: Parameters<typeof Slider>[0]["visits"];
  readonly index: VisitIndex;
}

function Moments({ project, run, last, rows, index }: MomentsProps) {
  const asked = Number(query.value.get("at"));
  const at = Number.isInteger(asked) && asked > 0 ? Math.min(asked, last) : last;
  const move = (event: number) => setQuery({ at: event >= last ? null : String(Math.max(1, event)) });
  const moveByVisit = async (by: 1 | -1) => move((await index.neighbour(at, by)) ?? (by === 1 ? last : 1));
  const then = useSettled(`${at}`, 90, (signal) => ask<RunOverview>(project, "overview", { run, at }, signal));
  const now = useSettled(`${last}`, 300, (signal) => ask<RunOverview>(project, "overview", { run, at: last }, signal));
  const graph = useSettled(`${at}`, 120, (signal) => readGraph(project, { run, at }, signal));
  const shownThen = useSettled(`${at}`, 120, (signal) => readShown(project, { run, at }, signal));
  const shownNow = useSettled(`${last}`, 300, (signal) => readShown(project, { run, at: last }, signal));
  const differences = useSettled(`${at} ${last}`, 350, (signal) =>
    ask<Differences>(project, "diff", { run, from: at, to: last }, signal),
  );
  useKeys("Time travel", [
    { keys: "[", label: "Previous visit", run: () => void moveByVisit(-1) },
    { keys: "]", label: "Next visit", run: () => void moveByVisit(1) },
    { keys: ",", label: "Previous event", run: () => move(at - 1) },
    { keys: ".", label: "Next event", run: () => move(at + 1) },
    { keys: "n", label: "Now", run: () => move(last) },
  ]);
  useEffect(() => {
    document.querySelector<HTMLElement>(".slider input")?.focus({ preventScroll: true });
  }, []);
  const problem = then.problem.value ?? shownThen.problem.value;
  const words = momentWords(then.data.value);
  return (
    <div class="past">
      <PastHead project={project} run={run} summary={now.data.value?.status.summary ?? null} />
      <div class="past-bar">
        <Slider
          at={at}
          last={last}
          words={`Event ${whole(at)} of ${whole(last)}. ${words}`}
          visits={rows}
          onMove={move}
          onVisit={(by) => void moveByVisit(by)}
        />
        <p class="past-moment">
          <Words text={words === "" ? " " : words} />
        </p>
      </div>
      {problem !== null && <ProblemNote problem={problem} />}
      <div class="past-body">
        {graph.data.value !== null && <PastGraph graph={graph.data.value} isBehind={graph.isBehind.value} />}
        <div class="past-main">
          <div class="past-two">
            {then.data.value !== null && (
              <StatePanel
                title={at === last ? "Now" : "Then"}
                overview={then.data.value}
                isBehind={then.isBehind.value}
              />
            )}
            {at < last && now.data.value !== null && (
              <StatePanel title="Now" overview={now.data.value} isBehind={now.isBehind.value} />
            )}
          </div>
          {shownThen.data.value !== null && (
            <ShownPanel
              then={shownThen.data.value}
              now={at === last ? null : shownNow.data.value}
              isBehind={shownThen.isBehind.value}
            />
          )}
          {at < last && differences.data.value !== null && (
            <ChangesPanel differences={differences.data.value} isBehind={differences.isBehind.value} />
          )}
        </div>
      </div>
    </div>
  );
}

/** The steps as they were; which of them is looked at matters to nothing else here. */
function PastGraph({ graph, isBehind }: { readonly graph: RunGraph; readonly isBehind: boolean }) {
  const chosen = useSignal<string | null>(null);
  return (
    <section class={`panel past-graph ${isBehind ? "past-behind" : ""}`} aria-label="Steps at that moment">
      <StepGraph
        nodes={graph.nodes}
        edges={graph.edges}
        current={graph.current}
        chosen={chosen.value}
        onChoose={(step) => (chosen.value = step)}
      />
    </section>
  );
}

function PastHead({ project, run, summary }: Props & { readonly summary: string | null }) {
  return (
    <header class="past-head">
      <p class="past-back">
        <a href={runHref(project, run)}>
          <Icon name="previous" /> <Words text={run} />
        </a>
        <span>
          <Icon name="history" /> Time travel
        </span>
      </p>
      <h1>
        <Words text={summary ?? run} />
      </h1>
    </header>
  );
}
