import type { ComponentChildren } from "preact";
import type { Costs, Spent } from "../../serve/contract/contract.ts";
import { readCosts } from "../api/calls.ts";
import { projectName, projects } from "../api/known.ts";
import { useLive } from "../api/live.ts";
import { useLoaded } from "../api/load.ts";
import { plural, whole } from "../parts/format.ts";
import { Empty, Loading, ProblemNote } from "../parts/notes.tsx";
import { slowNow } from "../parts/now.tsx";
import { Words } from "../parts/words.tsx";
import { query, runHref, setQuery } from "../route/route.ts";
import { DayPlot } from "./day-plot.tsx";
import { everyDay, isMeasure, type Measure, measures, total } from "./measures.ts";
import { SpentTable } from "./spent-table.tsx";

const spans = [7, 30, 90] as const;
const mostSteps = 20;
const mostRuns = 50;

/** What runs have taken: per day, workflow, step and run. */
export function CostsScreen() {
  const asked = Number(query.value.get("days"));
  const days = spans.find((span) => span === asked) ?? 30;
  const project = query.value.get("project") ?? undefined;
  const costs = useLoaded(`${days} ${project}`, (signal) => readCosts({ days, project }, signal));
  useLive((message) => {
    if (message.type !== "moved") costs.reload();
  });
  const found = costs.data.value;
  return (
    <div class="costs">
      <header class="costs-head">
        <h1>Costs and times</h1>
        <Choice
          label="Days"
          options={spans.map((span) => [String(span), `${span} days`])}
          chosen={String(days)}
          onChoose={(span) => setQuery({ days: span })}
        />
      </header>
      {costs.problem.value !== null && <ProblemNote problem={costs.problem.value} />}
      {found === null && costs.problem.value === null && <Loading what="what was taken" />}
      {found !== null && (isNothing(found) ? <NothingTaken days={days} /> : <Taken costs={found} days={days} />)}
    </div>
  );
}

function isNothing({ days, runs }: Costs): boolean {
  return runs.length === 0 && total(days, "minutes") + total(days, "tokens") + total(days, "cost") === 0;
}

function Taken({ costs, days }: { readonly costs: Costs; readonly days: number }) {
  const asked = query.value.get("by");
  const usual: Measure = total(costs.days, "cost") > 0 ? "cost" : "minutes";
  const measure = isMeasure(asked) ? asked : usual;
  const isUnreported = total(costs.days, "tokens") + total(costs.days, "cost") === 0;
  return (
    <>
      <Totals days={costs.days} measure={measure} />
      {isUnreported && (
        <p class="note">
          No agent has reported tokens or costs in this time. Agents that Holdfast drives do, and so do those with its
          hooks.
        </p>
      )}
      <DayPlot days={everyDay(costs.days, days, slowNow.value)} measure={measure} />
      <div class="costs-two">
        <Panel title="Workflows">
          <SpentTable title="Workflow" rows={sorted(costs.workflows, measure)} measure={measure} />
        </Panel>
        <Panel title="Steps">
          <SpentTable title="Step" rows={sorted(costs.steps, measure).slice(0, mostSteps)} measure={measure} />
          <LeftOut shown={mostSteps} all={costs.steps.length} what="steps" />
        </Panel>
      </div>
      <Panel title="Runs">
        <SpentTable
          title="Run"
          rows={sorted(costs.runs, measure).slice(0, mostRuns)}
          measure={measure}
          linkOf={(row) => <RunName row={row} />}
        />
        <LeftOut shown={mostRuns} all={costs.runs.length} what="runs" />
        {costs.leftOut > 0 && (
          <p class="muted costs-left">{plural(costs.leftOut, "older run is", "older runs are")} not counted.</p>
        )}
      </Panel>
    </>
  );
}

interface LeftOutProps {
  readonly shown: number;
  readonly all: number;
  readonly what: string;
}

/** A table that stops says so. */
function LeftOut({ shown, all, what }: LeftOutProps) {
  if (all <= shown) return null;
  return (
    <p class="muted costs-left">
      The first {shown} of {whole(all)} {what}.
    </p>
  );
}

function sorted<Row extends Spent>(rows: readonly Row[], measure: Measure): readonly Row[] {
  return rows.toSorted((a, b) => b[measure] - a[measure]);
}

function RunName({ row }: { readonly row: Costs["runs"][number] }) {
  return (
    <>
      <a href={runHref(row.project, row.name)}>
        <Words text={row.name} />
      </a>
      {projects.value.length > 1 && (
        <span class="muted">
          {" "}
          <Words text={projectName(row.project)} />
        </span>
      )}
    </>
  );
}

/** The sums of everything; a click compares by that. */
function Totals({ days, measure }: { readonly days: readonly Spent[]; readonly measure: Measure }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that everybody sees.
    <div class="totals" role="group" aria-label="Compare by">
      {(["cost", "tokens", "minutes", "runs"] as const).map((each) => (
        <button
          key={each}
          type="button"
          class="panel total"
          aria-pressed={each === measure}
          onClick={() => setQuery({ by: each })}
        >
          <span class="muted">{measures[each].name}</span>
          <strong class="number">{measures[each].text(total(days, each))}</strong>
        </button>
      ))}
    </div>
  );
}

function Panel({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="panel costs-panel">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly options: readonly (readonly [value: string, name: string])[];
  readonly chosen: string;
  readonly onChoose: (value: string) => void;
}

function Choice({ label, options, chosen, onChoose }: ChoiceProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that everybody sees.
    <div class="segments" role="group" aria-label={label}>
      {options.map(([value, name]) => (
        <button key={value} type="button" aria-pressed={value === chosen} onClick={() => onChoose(value)}>
          {name}
        </button>
      ))}
    </div>
  );
}

function NothingTaken({ days }: { readonly days: number }) {
  return (
    <Empty icon="costs" title={`No usage in the last ${days} days`}>
      <p>
        Start a workflow, and its time is counted here. Tokens and costs come from agents that report them: those that{" "}
        <code>holdfast run</code> drives, and those with Holdfast's hooks.
      </p>
    </Empty>
  );
}
