import { oneLine } from "./data-text.ts";
import type { OwnTask, SharedTasks } from "./facts.ts";

/** Maximum lengths of single items, in characters. */
const longest = { name: 100, title: 120, token: 400, wait: 200 };

/** Which step of the workflow the loop is. */
export function loopPlace({ loop, number, steps }: SharedTasks): string {
  return `step ${number}/${steps} ${oneLine(loop, longest.name)}`;
}

/** For a session that works on several tasks of a loop, or on none: the full text first, then shorter ones. */
export function taskForms(tasks: SharedTasks): string[] {
  const { own, free } = tasks;
  const head = `CONTINUE HERE   ${loopPlace(tasks)}\n${loopText(tasks)}`;
  if (own.length > 0) return [30, 8, 2].map((most) => [head, ...ownLines(own, most), ...rules].join("\n"));
  const open = free === 0 ? "None is free now." : `${free} ${free === 1 ? "is" : "are"} free.`;
  return [`${head}\n  You have no task of this loop. ${open} ${howToClaim}`];
}

const rules = [
  "  A subagent goes on with the task that it was given, and sends its token with every call.",
  "  For the instructions of one task, call workflow_status with its id as task.",
];

const howToClaim =
  "To get one, call workflow_status, or call it with the id of a task as task. Do nothing for a task that is not yours.";

/** For a session that goes on with one task: how far the loop is, and its other tasks, which wait for a person. */
export function sharedLines(tasks: SharedTasks, token: string, most: number): string[] {
  const others = tasks.own.filter((task) => task.token !== token);
  return [loopText(tasks), ...(others.length === 0 ? [] : ["  You have other tasks, too:", ...ownLines(others, most)])];
}

function ownLines(own: readonly OwnTask[], most: number): string[] {
  const lines = own.slice(0, most).map(({ id, title, subStep, token, waiting }) => {
    const what = `${oneLine(id, longest.name)} ${JSON.stringify(oneLine(title, longest.title))}`;
    const wait = waiting === null ? "" : ` · ${oneLine(waiting, longest.wait)}`;
    return `  - ${what} · sub-step ${oneLine(subStep, longest.name)} · visit ${oneLine(token, longest.token)}${wait}`;
  });
  return [...lines, ...(own.length > most ? [`  and ${own.length - most} more of yours: call workflow_status`] : [])];
}

function loopText({ loop, done, failed, skipped, total, taken }: SharedTasks): string {
  const counts = [
    `${done} of ${total} tasks done`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ];
  const others = taken === 0 ? "" : ` Other agents work on ${taken}: leave ${taken === 1 ? "it" : "them"} alone.`;
  return `  Several agents may work on ${oneLine(loop, longest.name)}: ${counts.join(", ")}.${others}`;
}
