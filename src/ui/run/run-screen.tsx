import { useSignal } from "@preact/signals";
import { useCallback } from "preact/hooks";
import type { RunCard } from "../../serve/contract/contract.ts";
import type { RunOverview } from "../../serve/contract/query-answers.ts";
import type { RunGraph } from "../../serve/contract/run-answers.ts";
import { ask, readGraph, readRuns } from "../api/calls.ts";
import { useLive } from "../api/live.ts";
import { type Loaded, useLoaded } from "../api/load.ts";
import { leadsTo } from "../graph/leads-to.ts";
import { StepGraph } from "../graph/step-graph.tsx";
import { media } from "../parts/media.ts";
import { Loading, ProblemNote } from "../parts/notes.tsx";
import { type Tab, Tabs } from "../parts/tabs.tsx";
import { query, setQuery } from "../route/route.ts";
import { isAbout } from "./about.ts";
import { Files } from "./files.tsx";
import { Outputs } from "./outputs.tsx";
import { RunHead } from "./run-head.tsx";
import { SessionList } from "./sessions.tsx";
import { StepDetails } from "./step-details.tsx";
import { Timeline } from "./timeline.tsx";

interface Props {
  readonly project: string;
  readonly run: string;
}

const isWide = media("(min-width: 72rem)");

export function RunScreen({ project, run }: Props) {
  const card = useLoaded("card", (signal) => readCard(project, run, signal));
  const overview = useLoaded("overview", (signal) => ask<RunOverview>(project, "overview", { run }, signal));
  const graph = useLoaded("graph", (signal) => readGraph(project, { run }, signal));
  const reload = () => {
    for (const each of [card, overview, graph]) each.reload();
  };
  useLive((message) => {
    if (!isAbout(message, project, run)) return;
    if (message.type === "run") card.data.value = message.card;
    reload();
  });
  const problem = overview.problem.value ?? graph.problem.value;
  if (problem !== null && overview.data.value === null) return <ProblemNote problem={problem} />;
  if (overview.data.value === null) return <Loading what="the run" />;
  return (
    <>
      <RunHead project={project} run={run} overview={overview.data.value} card={card.data.value} onDone={reload} />
      <Panes project={project} run={run} graph={graph} />
    </>
  );
}

/** Of the few runs that have these letters in them, the one that is meant. */
async function readCard(project: string, run: string, signal: AbortSignal): Promise<RunCard | null> {
  const { cards } = await readRuns({ project, search: run, count: 20 }, signal);
  return cards.find((card) => card.runId === run) ?? null;
}

type TabName = "steps" | "timeline" | "outputs" | "files" | "sessions";

const tabs: readonly Tab<TabName>[] = [
  { id: "steps", name: "Steps" },
  { id: "timeline", name: "Timeline" },
  { id: "outputs", name: "Outputs" },
  { id: "files", name: "Todo and artifacts" },
  { id: "sessions", name: "Sessions" },
];

/** The steps beside everything else where there is room, and as a tab where there is not. */
function Panes({ project, run, graph }: Props & { readonly graph: Loaded<RunGraph> }) {
  const shown = isWide.value ? tabs.filter(({ id }) => id !== "steps") : tabs;
  const asked = query.value.get("tab");
  const chosen = shown.find(({ id }) => id === asked)?.id ?? (isWide.value ? "timeline" : "steps");
  const step = useSignal<string | null>(null);
  const onChoose = useCallback((id: string) => (step.value = step.value === id ? null : id), [step]);
  const steps = (
    <section class="steps" aria-label="Steps of the workflow">
      {graph.data.value === null ? (
        <Loading what="the steps" />
      ) : (
        <Steps graph={graph.data.value} step={step.value} onChoose={onChoose} />
      )}
    </section>
  );
  const pane = {
    steps,
    timeline: <Timeline project={project} run={run} />,
    outputs: <Outputs project={project} run={run} />,
    files: <Files project={project} run={run} />,
    sessions: <SessionList project={project} run={run} />,
  }[chosen];
  return (
    <div class="panes">
      {isWide.value && steps}
      <Tabs label="About this run" tabs={shown} chosen={chosen} onChoose={(tab) => setQuery({ tab })}>
        {pane}
      </Tabs>
    </div>
  );
}

interface StepsProps {
  readonly graph: RunGraph;
  readonly step: string | null;
  readonly onChoose: (step: string) => void;
}

function Steps({ graph, step, onChoose }: StepsProps) {
  const node = graph.nodes.find(({ id }) => id === step);
  return (
    <>
      <StepGraph nodes={graph.nodes} edges={graph.edges} current={graph.current} chosen={step} onChoose={onChoose} />
      {node !== undefined && (
        <StepDetails node={node} next={leadsTo(node.id, graph.edges)} onClose={() => onChoose(node.id)} />
      )}
    </>
  );
}
