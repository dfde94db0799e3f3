import { useSignal } from "@preact/signals";
import type { WorkflowDetails } from "../../serve/contract/contract.ts";
import { perform } from "../api/calls.ts";
import { canAct, readOnlyWords } from "../api/known.ts";
import { asProblem, type Problem } from "../api/request.ts";
import { Icon } from "../parts/icon.tsx";
import { ProblemNote } from "../parts/notes.tsx";
import { Words } from "../parts/words.tsx";

interface Props {
  readonly project: string;
  readonly workflow: WorkflowDetails;
  /** The workflow has to be read again: it is trusted now, or it has changed. */
  readonly onChange: () => void;
}

/** What a workflow runs on this machine, and whether a person has agreed to that. */
export function TrustPanel({ project, workflow, onChange }: Props) {
  const isBusy = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const { trust, hash, name } = workflow;
  if (trust === null || hash === null || !trust.isNeeded) return null;
  const give = async () => {
    isBusy.value = true;
    problem.value = null;
    try {
      await perform(project, "trust", { workflow: name, yes: true, hash });
    } catch (error) {
      problem.value = asProblem(error);
    }
    isBusy.value = false;
    onChange();
  };
  return (
    <section class="panel workflow-panel" aria-labelledby="trust-title">
      <header class="workflow-panel-head">
        <h2 id="trust-title">Commands</h2>
        <span class={`mark mark-${trust.isGiven ? "done" : "needs-you"}`}>
          <Icon name={trust.isGiven ? "done" : "lock"} />
          {trust.isGiven ? "Trusted" : "Not trusted"}
        </span>
      </header>
      <p class="muted workflow-hint">
        {trust.isGiven
          ? "You have agreed that these run on this machine."
          : "They run on this machine, with your rights. Read them first."}
      </p>
      <CommandLines lines={trust.covers} />
      {!trust.isGiven && trust.changes.length > 0 && (
        <>
          <h3>Since you last trusted it</h3>
          <CommandLines lines={trust.changes} />
        </>
      )}
      {problem.value !== null && <ProblemNote problem={problem.value} />}
      {!trust.isGiven && (
        <button type="button" class="button" disabled={isBusy.value || !canAct.value} onClick={() => void give()}>
          <Icon name="gate" /> Trust these commands
        </button>
      )}
      {!(trust.isGiven || canAct.value) && <p class="muted workflow-hint">{readOnlyWords.value}</p>}
    </section>
  );
}

function CommandLines({ lines }: { readonly lines: readonly string[] }) {
  return (
    <ul class="command-lines">
      {lines.map((line, index) => (
        <li key={index} class={`command-line ${lookOf(line)}`}>
          <code>
            <Words text={line} />
          </code>
        </li>
      ))}
    </ul>
  );
}

function lookOf(line: string): string {
  if (line.startsWith("+ ")) return "command-added";
  return line.startsWith("- ") ? "command-removed" : "";
}
