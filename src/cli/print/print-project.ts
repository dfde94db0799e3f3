import type { LiveRow, ProjectGlance } from "../../app/queries/project-glance.ts";
import type { PersonWait } from "../../app/runs/person-wait.ts";
import { beside, table } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { plural } from "../terminal/wording.ts";
import { printRuns } from "./print-lists.ts";

type Suggestion = readonly [command: string, about: string];

/** What is live, what waits for the person, and the commands that are most useful now. */
export function printProject({ live, ended, damaged, tracked = 0 }: ProjectGlance, paint: Paint): string {
  const rows = live.length === 0 ? "no live run\n" : printRuns({ runs: live, damaged: [] }, paint);
  const waiting = live.filter(({ waitsFor }) => waitsFor !== null);
  const waits = waiting.map((row) => beside("  ", `${nameIn(live, row)} ${waitText(row)}`, paint.edge)).join("");
  const broken = damaged === 0 ? "" : `${paint.bad(plural(damaged, "damaged run"))}; see holdfast runs\n`;
  const unused = tracked === 0 ? "" : `not used: ${plural(tracked, "run")} from the repository; see holdfast runs\n`;
  const next = suggestions(live, waiting[0] ?? live[0], ended > 0);
  const texts = [
    `${rows}${broken}${unused}`,
    ...(waits === "" ? [] : [`${paint.strong("Waiting for you")}\n${waits}`]),
    `${paint.strong("Next")}\n${table(next, { edge: paint.edge })}`,
    "All commands: holdfast --help\n",
  ];
  return texts.join("\n");
}

/** The shortest name that means this run alone. */
function nameIn(live: readonly LiveRow[], { runId, workflow }: LiveRow): string {
  return live.filter((row) => row.workflow === workflow).length === 1 ? workflow : runId;
}

function waitText({ step, waitsFor }: LiveRow): string {
  switch (waitsFor?.type) {
    case "approval":
      return `needs your approval at ${step}`;
    case "decision":
      return `has failed at ${step}, and you decide how to continue`;
    case "review":
      return `has used up a budget at ${step}, and you decide how to continue`;
    case "answer":
      return `asks: ${waitsFor.question.replace(/\s+/g, " ")}`;
    case "context-action":
      return `waits until you type /${waitsFor.action} in the agent's session`;
    default:
      return "is paused";
  }
}

function suggestions(live: readonly LiveRow[], row: LiveRow | undefined, hasEnded: boolean): Suggestion[] {
  if (row === undefined) {
    return [
      ["holdfast list", "List the workflows you can start here"],
      ['holdfast start feature "..."', "Start one for a request"],
      hasEnded
        ? ["holdfast runs", "List the runs that have ended"]
        : ["holdfast doctor", "Check the setup of your agent"],
    ];
  }
  const which = live.length === 1 ? "" : ` --run ${nameIn(live, row)}`;
  return [...commandsFor(row.waitsFor), ...always].slice(0, 3).map(([command, about]) => [`${command}${which}`, about]);
}

const always: readonly Suggestion[] = [
  ["holdfast status", "Show where the run stands"],
  ["holdfast log --follow", "Watch its events"],
  ["holdfast pause", "Tell the agent to wait"],
];

function commandsFor(waitsFor: PersonWait | null): readonly Suggestion[] {
  switch (waitsFor?.type) {
    case "approval":
      return [
        ["holdfast approve", "Approve the step"],
        ['holdfast reject --reason "..."', "Say what has to change"],
      ];
    case "decision":
      return [["holdfast decide retry", "Try the step again; or skip, go_to <step>, abandon"]];
    case "review":
      return [["holdfast decide continue", "Go on; or pivot, escalate, abandon"]];
    case "answer":
      return [['holdfast answer "..."', "Answer the question"]];
    case "resume":
      return [["holdfast resume", "Let the agent go on"]];
    default:
      return [];
  }
}
