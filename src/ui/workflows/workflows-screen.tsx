import { useSignal } from "@preact/signals";
import type { ProjectRow } from "../../serve/contract/contract.ts";
import { ask } from "../api/calls.ts";
import { projects } from "../api/known.ts";
import { useLive } from "../api/live.ts";
import { useLoaded } from "../api/load.ts";
import { plural } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { Empty, Loading, ProblemNote } from "../parts/notes.tsx";
import { SearchBox } from "../parts/search-box.tsx";
import { Words } from "../parts/words.tsx";
import { query, workflowHref } from "../route/route.ts";
import type { WorkflowRow } from "./answers.ts";

/** The workflows that can be started, project by project. */
export function WorkflowsScreen() {
  const words = useSignal("");
  const chosen = query.value.get("project");
  const shown = projects.value.filter(({ id }) => chosen === null || id === chosen);
  return (
    <div class="workflows">
      <header class="workflows-head">
        <h1>Workflows</h1>
        <SearchBox label="Search workflows" value={words.value} onChange={(value) => (words.value = value)} />
      </header>
      {shown.map((project) => (
        <ProjectWorkflows key={project.id} project={project} words={words.value.trim().toLowerCase()} />
      ))}
      {projects.value.length === 0 && <NoProjects />}
    </div>
  );
}

interface ProjectProps {
  readonly project: ProjectRow;
  readonly words: string;
}

function ProjectWorkflows({ project, words }: ProjectProps) {
  const list = useLoaded(project.id, (signal) =>
    ask<{ readonly workflows: readonly WorkflowRow[] }>(project.id, "list", {}, signal),
  );
  useLive((message) => message.type === "reset" && list.reload());
  const rows = list.data.value?.workflows.filter(({ name, description }) =>
    `${name}\n${description}`.toLowerCase().includes(words),
  );
  return (
    <section class="workflows-project" aria-label={project.name}>
      {projects.value.length > 1 && (
        <h2>
          <Icon name="folder" /> <Words text={project.name} />
        </h2>
      )}
      {list.problem.value !== null && <ProblemNote problem={list.problem.value} />}
      {rows === undefined && list.problem.value === null && <Loading what="workflows" />}
      {rows !== undefined && rows.length === 0 && <p class="muted">No workflow has these words.</p>}
      <ul class="workflow-cards">
        {rows?.toSorted(ownFirst).map((row) => (
          <li key={row.name}>
            <WorkflowCard project={project.id} row={row} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function ownFirst(a: WorkflowRow, b: WorkflowRow): number {
  return Number(b.origin === "project") - Number(a.origin === "project");
}

function WorkflowCard({ project, row }: { readonly project: string; readonly row: WorkflowRow }) {
  const { name, origin, description, steps, valid, extends: bases, shadows } = row;
  return (
    <a class="panel workflow-card" href={workflowHref(project, name)}>
      <span class="workflow-card-top">
        <strong>
          <Words text={name} />
        </strong>
        {origin === "built-in" && <span class="tag tag-plain">built-in</span>}
        {shadows && <span class="tag tag-plain">replaces the built-in one</span>}
      </span>
      {valid ? (
        <span class="workflow-card-text">
          <Words text={description} />
        </span>
      ) : (
        <span class="mark mark-failed">
          <Icon name="warning" /> Cannot be loaded
        </span>
      )}
      <span class="workflow-card-facts muted">
        {valid && plural(steps, "step")}
        {bases.length > 0 && (
          <>
            {" "}
            · extends <Words text={bases.map((base) => base.name).join(", ")} />
          </>
        )}
      </span>
    </a>
  );
}

function NoProjects() {
  return (
    <Empty icon="workflows" title="No project yet">
      <p>
        Run <code>holdfast init</code> in a project, and its workflows are here.
      </p>
    </Empty>
  );
}
