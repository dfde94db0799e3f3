import type { WorkflowDetails } from "../../serve/contract/contract.ts";
import { ask } from "../api/calls.ts";
import { projectName, projects } from "../api/known.ts";
import { useLive } from "../api/live.ts";
import { useLoaded } from "../api/load.ts";
import { plural } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { Loading, ProblemNote } from "../parts/notes.tsx";
import { Words } from "../parts/words.tsx";
import { SourceLines } from "./source-lines.tsx";
import { StartForm } from "./start-form.tsx";
import { TrustPanel } from "./trust-panel.tsx";
import { WorkflowSteps } from "./workflow-steps.tsx";

interface Props {
  readonly project: string;
  readonly name: string;
}

/** One workflow: its steps, its text with what is wrong in it, what it runs, and how to start it. */
export function WorkflowScreen({ project, name }: Props) {
  const details = useLoaded(`${project} ${name}`, (signal) =>
    ask<WorkflowDetails>(project, "workflow", { workflow: name }, signal),
  );
  useLive((message) => message.type === "reset" && details.reload());
  const workflow = details.data.value;
  if (workflow === null) {
    const { value } = details.problem;
    return value === null ? <Loading what="the workflow" /> : <ProblemNote problem={value} />;
  }
  const errors = workflow.problems.filter(({ severity }) => severity === "error").length;
  return (
    <div class="workflow">
      <WorkflowHead project={project} workflow={workflow} />
      {errors > 0 && (
        <p class="note note-failed">
          <Icon name="warning" /> {plural(errors, "mistake keeps", "mistakes keep")} this workflow from being started.
        </p>
      )}
      <div class="workflow-columns">
        <div class="workflow-main">
          {workflow.hash !== null && <WorkflowSteps project={project} name={name} />}
          <section class="panel workflow-panel" aria-labelledby="source-title">
            <header class="workflow-panel-head">
              <h2 id="source-title">Source</h2>
              <code class="muted">
                <Words text={workflow.file} />
              </code>
            </header>
            <SourceLines file={workflow.file} source={workflow.source} problems={workflow.problems} />
          </section>
        </div>
        {workflow.hash !== null && (
          <div class="workflow-side">
            <TrustPanel project={project} workflow={workflow} onChange={details.reload} />
            <StartForm project={project} workflow={workflow} />
          </div>
        )}
      </div>
    </div>
  );
}

function WorkflowHead({ project, workflow }: { readonly project: string; readonly workflow: WorkflowDetails }) {
  return (
    <header class="workflow-head">
      <a class="workflow-back" href="/workflows">
        <Icon name="previous" /> Workflows
      </a>
      <h1>
        <Words text={workflow.name} />
        {workflow.origin === "built-in" && <span class="tag tag-plain">built-in</span>}
      </h1>
      {workflow.description !== "" && (
        <p>
          <Words text={workflow.description} />
        </p>
      )}
      {projects.value.length > 1 && (
        <p class="muted">
          <Words text={projectName(project)} />
        </p>
      )}
    </header>
  );
}
