import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { WorkflowDetails } from "../../serve/contract/contract.ts";
import { perform } from "../api/calls.ts";
import { canAct } from "../api/known.ts";
import { asProblem, Problem } from "../api/request.ts";
import { Icon } from "../parts/icon.tsx";
import { ProblemNote } from "../parts/notes.tsx";
import { Lines } from "../parts/words.tsx";
import { go, runHref } from "../route/route.ts";
import type { Started } from "./answers.ts";
import { type FieldValue, firstValue, givenValues, VariableField } from "./variable-field.tsx";

interface Props {
  readonly project: string;
  readonly workflow: WorkflowDetails;
}

/** Starts a run: what it is about, and a field for every variable. */
export function StartForm({ project, workflow }: Props) {
  const request = useSignal("");
  const values = useSignal<Readonly<Record<string, FieldValue>>>({});
  const isBusy = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const id = useId();
  const { name, variables, trust } = workflow;
  const isUntrusted = trust?.isNeeded === true && !trust.isGiven;
  const send = (more: object) => {
    const words = request.value.trim();
    return perform<Started>(project, "start", {
      workflow: name,
      another: true,
      ...(words !== "" && { request: words }),
      variables: givenValues(variables, values.value),
      ...more,
    });
  };
  /** `seen` is what the person was shown of the commands that they agree to. */
  const start = async (seen: string | null) => {
    isBusy.value = true;
    problem.value = null;
    try {
      const { runId } = await send({}).catch((error: unknown) => {
        // What has changed since then is shown first.
        if (isUntrustedProblem(error) && error.message === seen) return send({ trust: true });
        throw error;
      });
      go(runHref(project, runId));
    } catch (error) {
      problem.value = asProblem(error);
      isBusy.value = false;
    }
  };
  return (
    <section class="panel workflow-panel" aria-labelledby="start-title">
      <header class="workflow-panel-head">
        <h2 id="start-title">Start a run</h2>
      </header>
      <form
        class="start-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy.value) void start(null);
        }}
      >
        <div class="field">
          <label for={id}>What is it about?</label>
          <textarea
            id={id}
            rows={3}
            value={request.value}
            onInput={(event) => {
              request.value = event.currentTarget.value;
            }}
          />
        </div>
        {variables.map((variable) => (
          <VariableField
            key={variable.name}
            variable={variable}
            value={values.value[variable.name] ?? firstValue(variable)}
            onValue={(value) => {
              values.value = { ...values.value, [variable.name]: value };
            }}
          />
        ))}
        {problem.value !== null && !isUntrustedProblem(problem.value) && <ProblemNote problem={problem.value} />}
        {isUntrustedProblem(problem.value) && (
          <TrustAndStart seen={problem.value.message} isBusy={isBusy.value} onAgree={(seen) => void start(seen)} />
        )}
        <button type="submit" class="button button-main" disabled={isBusy.value || isUntrusted || !canAct.value}>
          <Icon name="play" /> Start
        </button>
        {isUntrusted && canAct.value && (
          <p class="muted workflow-hint">It can start once you have trusted its commands.</p>
        )}
        {!canAct.value && <p class="muted workflow-hint">Only a person can start it here; this page only reads.</p>}
      </form>
    </section>
  );
}

function isUntrustedProblem(error: unknown): error is Problem {
  return error instanceof Problem && error.code === "template-untrusted";
}

interface TrustProps {
  readonly seen: string;
  readonly isBusy: boolean;
  readonly onAgree: (seen: string) => void;
}

/** A variable can be a command, so what a start runs is only known with the values of the form. */
function TrustAndStart({ seen, isBusy, onAgree }: TrustProps) {
  return (
    <div class="note" role="alert">
      <Icon name="lock" />
      <div>
        <Lines label="Commands to trust" text={seen} />
        <p class="note-next">They run on this machine, with your rights. Read them first.</p>
        <button type="button" class="button" disabled={isBusy} onClick={() => onAgree(seen)}>
          <Icon name="gate" /> Trust and start
        </button>
      </div>
    </div>
  );
}
