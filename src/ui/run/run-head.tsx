import type { ComponentChildren } from "preact";
import type { RunCard } from "../../serve/contract/contract.ts";
import type { RunOverview } from "../../serve/contract/query-answers.ts";
import { inbox, projectName } from "../api/known.ts";
import { clock, count, dollars, duration } from "../parts/format.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { ColumnMark } from "../parts/mark.tsx";
import { now, slowNow } from "../parts/now.tsx";
import { Words } from "../parts/words.tsx";
import { inboxHref, pastHref } from "../route/route.ts";
import { RunActions } from "./run-actions.tsx";

interface Props {
  readonly project: string;
  readonly run: string;
  readonly overview: RunOverview;
  readonly card: RunCard | null;
  /** Something about the run was changed here. */
  readonly onDone: () => void;
}

export function RunHead({ project, run, overview, card, onDone }: Props) {
  const { status } = overview;
  return (
    <div class="run-head">
      <p class="crumbs">
        <a href="/runs">Runs</a>
        <span aria-hidden="true">/</span>
        <Words text={projectName(project)} />
        <span aria-hidden="true">/</span>
        <Words text={status.workflow} />
      </p>
      <div class="run-title">
        <h1>
          <Words text={status.summary ?? run} />
        </h1>
        <div class="run-buttons">
          <a class="button" href={pastHref(project, run)}>
            <Icon name="history" /> Time travel
          </a>
          <RunActions project={project} run={run} status={status.status} onDone={onDone} />
        </div>
      </div>
      <dl class="run-facts">
        <RunFacts overview={overview} card={card} />
      </dl>
      <WaitNote project={project} run={run} card={card} />
    </div>
  );
}

const over: readonly string[] = ["complete", "failed", "aborted"];

function RunFacts({ overview, card }: Pick<Props, "overview" | "card">) {
  const { status, startedAt, until, liveSessions, runBudget } = overview;
  const isLive = card === null ? !over.includes(status.status) : card.column !== "done" && card.column !== "failed";
  const took = (isLive ? now.value : Date.parse(until)) - Date.parse(startedAt);
  const { tokens = null, cost = null } = status.usage ?? {};
  return (
    <>
      <div>
        <dt class="unseen">State</dt>
        <dd>{card === null ? status.status : <ColumnMark column={card.column} />}</dd>
      </div>
      {isLive && (
        <FactItem icon="action" name="Step">
          <Words text={status.step} />
          <span class="muted">
            {" "}
            {status.progress.currentStep} of {status.progress.totalSteps}
          </span>
        </FactItem>
      )}
      <FactItem icon="clock" name={isLive ? "Running for" : "Took"}>
        {duration(took)}
        <span class="muted"> since {clock(startedAt, slowNow.value)}</span>
      </FactItem>
      {(tokens !== null || cost !== null) && (
        <FactItem icon="coin" name="Used">
          {[tokens !== null && `${count(tokens)} tokens`, cost !== null && dollars(cost)].filter(Boolean).join(", ")}
          {runBudget !== null && (
            <span class="muted">
              {" "}
              (<Words text={runBudget} />)
            </span>
          )}
        </FactItem>
      )}
      {status.driven !== undefined && (
        <FactItem icon="machine" name="Driven by">
          <Words text={status.driven.agent} />
        </FactItem>
      )}
      {status.driven === undefined && liveSessions > 0 && (
        <FactItem icon="machine" name="Sessions">
          {liveSessions} open
        </FactItem>
      )}
    </>
  );
}

function FactItem({ icon, name, children }: { icon: IconName; name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt title={name}>
        <Icon name={icon} />
        <span class="unseen">{name}</span>
      </dt>
      <dd class="number">{children}</dd>
    </div>
  );
}

/** What the run waits for; if a person can decide it, with the way to where that is done. */
function WaitNote({ project, run, card }: Pick<Props, "project" | "run" | "card">) {
  const items = (inbox.value ?? []).filter((item) => item.project === project && item.runId === run);
  if (card?.waitsFor == null) return null;
  const [item] = items;
  return (
    <div class={`note wait-note wait-${card.column}`}>
      <Icon name={card.column} />
      <p>
        Waits for <Words text={card.waitsFor.text} />
      </p>
      {item !== undefined && (
        <a class="button button-main" href={inboxHref(item.id)}>
          {items.length === 1 ? "Decide" : `Decide ${items.length}`}
        </a>
      )}
    </div>
  );
}
