import type { RunCard } from "../../serve/contract/contract.ts";
import { projectName, projects } from "../api/known.ts";
import { Icon } from "../parts/icon.tsx";
import { Ago } from "../parts/now.tsx";
import { Words } from "../parts/words.tsx";
import { runHref } from "../route/route.ts";

/** One run. It has the same height whatever it says, so nothing around it moves. */
export function Card({ card }: { readonly card: RunCard | undefined }) {
  if (card === undefined) return <div class="card card-unread" />;
  const { project, runId, workflow, summary, step, waitsFor, column, updatedAt, here } = card;
  return (
    <a class={`card card-${column} row-target`} href={runHref(project, runId)}>
      <span class="card-top">
        <span class="card-workflow one-line">
          <Words text={workflow} />
          {projects.value.length > 1 && (
            <span class="card-project">
              {" · "}
              <Words text={projectName(project)} />
            </span>
          )}
          {here === false && <span class="card-project"> · not here yet</span>}
        </span>
        <Ago time={updatedAt} />
      </span>
      <span class="card-summary">
        <Words text={summary ?? runId} />
      </span>
      <span class="card-bottom">
        <Icon name={column} />
        <span class="one-line">
          {waitsFor === null ? (
            <StepWords column={column} step={step} />
          ) : (
            <Words text={waitWords(column, waitsFor.text)} />
          )}
        </span>
      </span>
    </a>
  );
}

/** What needs you begins with "your": your approval, your answer. */
function waitWords(column: RunCard["column"], text: string): string {
  return column === "needs-you" ? text.charAt(0).toUpperCase() + text.slice(1) : `Waits for ${text}`;
}

function StepWords({ column, step }: Pick<RunCard, "column" | "step">) {
  if (column === "done") return <>Done</>;
  return (
    <>
      {column === "failed" ? "Ended in " : "Working on "}
      <Words text={step} />
    </>
  );
}
