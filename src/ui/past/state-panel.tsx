import type { RunOverview } from "../../serve/contract/query-answers.ts";
import type { NodeStatus } from "../../serve/contract/run-answers.ts";
import { duration, moment } from "../parts/format.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Words } from "../parts/words.tsx";

const stepMarks: Readonly<Record<NodeStatus, readonly [mark: string, icon: IconName]>> = {
  open: ["working", "working"],
  done: ["done", "done"],
  skipped: ["", "skipped"],
  failed: ["failed", "failed"],
  left: ["", "left"],
  ahead: ["", "ahead"],
};

const runMarks: Readonly<Record<string, readonly [mark: string, icon: IconName]>> = {
  running: ["working", "working"],
  waiting: ["needs-you", "needs-you"],
  review: ["needs-you", "coin"],
  paused: ["waiting", "waiting"],
  complete: ["done", "done"],
  failed: ["failed", "failed"],
  aborted: ["failed", "failed"],
};

interface Props {
  readonly title: string;
  readonly overview: RunOverview;
  readonly isBehind: boolean;
}

/** Where the run stood. */
export function StatePanel({ title, overview, isBehind }: Props) {
  const { status, steps, startedAt, until, used, budget } = overview;
  const [mark, icon] = runMarks[status.status] ?? ["", "event"];
  return (
    <section class={`panel past-state ${isBehind ? "past-behind" : ""}`} aria-busy={isBehind}>
      <header class="past-panel-head">
        <h2>{title}</h2>
        <span class={`mark mark-${mark}`}>
          <Icon name={icon} />
          <Words text={status.status} />
        </span>
      </header>
      <ol class="past-steps">
        {steps.map((step) => (
          <Step key={step.id} step={step} />
        ))}
      </ol>
      <dl class="past-facts">
        <Fact name="Visit" value={status.token ?? "none"} />
        {status.task !== undefined && (
          <Fact name={`Task ${status.task.index + 1} of ${status.task.total}`} value={status.task.title} />
        )}
        <Fact name="After" value={duration(Date.parse(until) - Date.parse(startedAt))} />
        {used !== null && <Fact name="Used" value={used} />}
        {budget !== null && <Fact name="Budget" value={budget} />}
        {status.question !== undefined && <Fact name="Question" value={status.question.text} />}
        {status.decision !== undefined && <Fact name="Failed" value={status.decision.reason} />}
      </dl>
    </section>
  );
}

function Step({ step }: { readonly step: RunOverview["steps"][number] }) {
  const [mark, icon] = stepMarks[step.status];
  return (
    <li class={`past-step past-step-${step.status}`}>
      <span class={`mark mark-${mark}`}>
        <Icon name={icon} />
        <span class="unseen">{step.status}</span>
      </span>
      <Words text={step.id} />
      {step.tasks !== null && <span class="muted number">{step.tasks}</span>}
      {step.visits > 1 && <span class="muted number">×{step.visits}</span>}
    </li>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Words text={value} />
      </dd>
    </div>
  );
}

/** The event that the slider stands on, in words. */
export function momentWords(overview: RunOverview | null): string {
  const found = overview?.status.moment;
  return found === undefined ? "" : `${found.type}, ${moment(found.at)}`;
}
