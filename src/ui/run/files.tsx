import type { ArtifactState, RunFiles } from "../../serve/contract/run-answers.ts";
import { ask } from "../api/calls.ts";
import { useLive } from "../api/live.ts";
import { useLoaded } from "../api/load.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Loading, ProblemNote } from "../parts/notes.tsx";
import { Ago } from "../parts/now.tsx";
import { Words } from "../parts/words.tsx";
import { isAbout } from "./about.ts";

/** The todo list, the artifacts that the model must have, and the files that the run has registered. */
export function Files({ project, run }: { readonly project: string; readonly run: string }) {
  const files = useLoaded("files", (signal) => ask<RunFiles>(project, "run-files", { run }, signal));
  useLive((message) => isAbout(message, project, run) && files.reload());
  const { value } = files.data;
  if (value === null) {
    return files.problem.value === null ? <Loading what="files" /> : <ProblemNote problem={files.problem.value} />;
  }
  return (
    <div class="stack">
      <section>
        <h2>Todo list</h2>
        <Todo todo={value.todo} />
      </section>
      <section>
        <h2>Critical artifacts</h2>
        <Artifacts artifacts={value.artifacts} />
      </section>
      {value.registered.length > 0 && (
        <section>
          <h2>Files of this run</h2>
          <ul class="plain-list mono">
            {value.registered.map((path) => (
              <li key={path}>
                <Words text={path} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Todo({ todo }: Pick<RunFiles, "todo">) {
  if (todo === null) return <p class="muted">The run has no todo list.</p>;
  if (todo.problem !== null) {
    return (
      <p class="muted">
        <Words text={todo.problem} />
      </p>
    );
  }
  return (
    <>
      <p class="muted">
        <span class="mono">
          <Words text={todo.file} />
        </span>
        , {todo.items.filter(({ status }) => status === "done").length} of {todo.items.length} done
        {todo.isEdited && ", edited since the agent wrote it"}
      </p>
      <ul class="todo-list">
        {todo.items.map(({ text, status }, index) => (
          <li key={`${index} ${text}`} class={`todo-${status}`}>
            <span class={`mark mark-${todoLooks[status].tone}`}>
              <Icon name={todoLooks[status].icon} />
              <span class="unseen">{todoLooks[status].name}: </span>
            </span>
            <Words text={text} />
          </li>
        ))}
      </ul>
    </>
  );
}

const todoLooks = {
  done: { name: "Done", icon: "done", tone: "done" },
  in_progress: { name: "In progress", icon: "working", tone: "working" },
  pending: { name: "Open", icon: "ahead", tone: "none" },
} as const;

type State = ArtifactState["state"];

const states: Readonly<Record<State, { readonly name: string; readonly icon: IconName; readonly tone: string }>> = {
  fresh: { name: "In context, unchanged", icon: "done", tone: "done" },
  changed: { name: "Changed since it was loaded", icon: "retry", tone: "needs-you" },
  "not-loaded": { name: "Not in context", icon: "ahead", tone: "none" },
  missing: { name: "Missing", icon: "failed", tone: "failed" },
};

function Artifacts({ artifacts }: Pick<RunFiles, "artifacts">) {
  if (artifacts === null) return <p class="muted">The run has ended, so no context has to have them.</p>;
  if (artifacts.length === 0) return <p class="muted">The workflow names none.</p>;
  return (
    <ul class="artifact-list">
      {artifacts.map((artifact) => (
        <Artifact key={artifact.id} artifact={artifact} />
      ))}
    </ul>
  );
}

function Artifact({ artifact }: { readonly artifact: ArtifactState }) {
  const { name, icon, tone } = states[artifact.state];
  return (
    <li>
      <Icon name="file" />
      <div>
        <p>
          <strong>
            <Words text={artifact.id} />
          </strong>{" "}
          {artifact.path !== null && (
            <span class="mono muted">
              <Words text={artifact.path} />
            </span>
          )}
        </p>
        <p class="muted">
          {artifact.loadedAt !== null && (
            <>
              Loaded <Ago time={artifact.loadedAt} /> ago
              {artifact.note !== null && ". "}
            </>
          )}
          {artifact.note !== null && <Words text={artifact.note} />}
        </p>
      </div>
      <span class={`mark mark-${tone}`}>
        <Icon name={icon} />
        {name}
      </span>
    </li>
  );
}
