import { useSignal } from "@preact/signals";
import { perform } from "../api/calls.ts";
import { canAct } from "../api/known.ts";
import { Confirm } from "../parts/dialog.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";

interface Action {
  readonly operation: "pause" | "resume" | "abort" | "reopen";
  readonly name: string;
  readonly icon: IconName;
  readonly text: string;
  readonly isDangerous?: boolean;
  readonly reason?: string;
  /** Over HTTP nobody is asked, so the request says that it is meant. */
  readonly input?: Readonly<Record<string, unknown>>;
}

const pause: Action = {
  operation: "pause",
  name: "Pause",
  icon: "pause",
  text: "The agent is told to wait until somebody resumes the run.",
  reason: "Why (optional)",
};
const resume: Action = {
  operation: "resume",
  name: "Resume",
  icon: "play",
  text: "The agent goes on where it was.",
};
const abort: Action = {
  operation: "abort",
  name: "Abort",
  icon: "stop",
  text: "This ends the run. Its journal stays, and you can reopen it.",
  isDangerous: true,
  reason: "Why (optional)",
  input: { yes: true },
};
const reopen: Action = {
  operation: "reopen",
  name: "Reopen",
  icon: "retry",
  text: "The run goes on with the step where it ended, and keeps its outputs.",
  reason: "Why (optional); the agent gets it with the step",
};

function actionsFor(status: string): readonly Action[] {
  if (status === "failed" || status === "aborted") return [reopen];
  if (status === "complete") return [];
  return [status === "paused" ? resume : pause, abort];
}

interface Props {
  readonly project: string;
  readonly run: string;
  readonly status: string;
  readonly onDone: () => void;
}

/** What a person can do with a run in this state. Each is confirmed once. */
export function RunActions({ project, run, status, onDone }: Props) {
  const asked = useSignal<Action | null>(null);
  if (!canAct.value) return null;
  const { value: action } = asked;
  return (
    <>
      {actionsFor(status).map((each) => (
        <button key={each.operation} type="button" class="button" onClick={() => (asked.value = each)}>
          <Icon name={each.icon} /> {each.name}
        </button>
      ))}
      {action !== null && (
        <Confirm
          title={`${action.name} this run?`}
          text={action.text}
          action={action.name}
          isDangerous={action.isDangerous === true}
          {...(action.reason !== undefined && { reason: { label: action.reason, isNeeded: false } })}
          onConfirm={async (reason) => {
            await perform(project, action.operation, { run, ...action.input, ...(reason !== "" && { reason }) });
            onDone();
          }}
          onClose={() => (asked.value = null)}
        />
      )}
    </>
  );
}
