import { useSignal } from "@preact/signals";
import { useCallback } from "preact/hooks";
import type { GraphNode, RunGraph } from "../../serve/contract/run-answers.ts";
import { ask } from "../api/calls.ts";
import { useLive } from "../api/live.ts";
import { useLoaded } from "../api/load.ts";
import { leadsTo } from "../graph/leads-to.ts";
import { StepGraph } from "../graph/step-graph.tsx";
import { Loading, ProblemNote } from "../parts/notes.tsx";
import { visibleText } from "../parts/visible.ts";
import { Words } from "../parts/words.tsx";
import type { WorkflowGraph, WorkflowStep } from "./answers.ts";

interface Props {
  readonly project: string;
  readonly name: string;
}

/** The steps of a workflow as a graph; a click tells more about one. */
export function WorkflowSteps({ project, name }: Props) {
  const chosen = useSignal<string | null>(null);
  const onChoose = useCallback((id: string) => (chosen.value = chosen.value === id ? null : id), [chosen]);
  const graph = useLoaded(`${project} ${name}`, (signal) =>
    ask<WorkflowGraph>(project, "graph", { workflow: name }, signal),
  );
  useLive((message) => message.type === "reset" && graph.reload());
  const { value } = graph.data;
  const step = value?.steps.find(({ id }) => id === chosen.value);
  return (
    <section class="panel workflow-panel workflow-graph" aria-labelledby="steps-title">
      <header class="workflow-panel-head">
        <h2 id="steps-title">Steps</h2>
      </header>
      {graph.problem.value !== null && <ProblemNote problem={graph.problem.value} />}
      {value === null && graph.problem.value === null && <Loading what="the steps" />}
      {value !== null && (
        <StepGraph
          nodes={value.steps.map(nodeOf)}
          edges={value.moves.map(edgeOf)}
          current={[]}
          chosen={chosen.value}
          onChoose={onChoose}
        />
      )}
      {step !== undefined && <StepFacts step={step} next={leadsTo(step.id, value?.moves.map(edgeOf) ?? [])} />}
    </section>
  );
}

/** A step that no run has entered. */
function nodeOf({ id, type, phase, gates, approval, subSteps }: WorkflowStep): GraphNode {
  const counts = { visits: 0, minutes: 0, retries: 0, gatesPassed: 0, gatesFailed: 0, tokens: 0, cost: 0 };
  return {
    ...{ id, type, phase, status: "ahead", ...counts, tasks: null },
    gates: approval ? [...gates, "a person's approval"] : gates,
    subSteps: subSteps.map((each) => each.id),
  };
}

function edgeOf({ from, to, outcome }: WorkflowGraph["moves"][number]): RunGraph["edges"][number] {
  return { from, to, label: outcome };
}

function StepFacts({ step, next }: { readonly step: WorkflowStep; readonly next: string | null }) {
  const { id, when, context, command, tasks, parallel, passes, until, hints, subSteps } = step;
  const gates = [...step.gates, ...(step.approval ? ["a person's approval"] : [])];
  const facts: readonly (readonly [string, string | null])[] = [
    ["Only when", when],
    ["Context", context],
    ["Runs", command],
    ["Tasks", tasks],
    ["At the same time", parallel === null ? null : String(parallel)],
    ["Passes", passes === null ? null : `at most ${passes}`],
    ["Until", joined(until)],
    ["Must hold before it ends", joined(gates)],
    ["Sub-steps", joined(subSteps.map((each) => each.id))],
    ["For the agent", joined(hints)],
    ["Leads to", next],
  ];
  const known = facts.filter(([, value]) => value !== null);
  if (known.length === 0) return <p class="step-facts muted">This step has no gates or other settings.</p>;
  return (
    <dl class="step-facts" aria-label={`About ${visibleText(id)}`}>
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Words text={value ?? ""} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function joined(words: readonly string[]): string | null {
  return words.length === 0 ? null : words.join(", ");
}
