import { oneLine, valueText } from "./data-text.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import type { HandoffFacts } from "./facts.ts";

/** What applies to one visit. */
export interface VisitRules {
  /** What must hold before the visit may end, each as the end of a sentence: "`npm test` passes". */
  readonly gates: readonly string[];
  /** What ends the iterations of a step early. */
  readonly until: readonly string[];
  readonly agent: AgentLimits | null;
}

export interface AgentLimits {
  readonly name: string;
  readonly description: string;
  readonly tools: readonly string[];
  readonly cannot: readonly string[];
}

/** What applies to the whole run. */
export type RunRules = Pick<HandoffFacts, "requiredReading" | "keyReminders" | "context">;

/** The rules of a run may take this much beside the instructions. */
const mostRuleTokens = 400;

/** Maximum lengths of single items, in characters. */
const longest = { gate: 300, agent: 300, path: 200, reminder: 300, value: 200 };

/** The rules of a visit, one per line. Every visit comes with them. */
export function visitRuleLines({ gates, until, agent }: VisitRules): string[] {
  const all = (checks: readonly string[]) => checks.map((check) => oneLine(check, longest.gate)).join("; ");
  return [
    ...(gates.length === 0 ? [] : [`Before this visit may end: ${all(gates)}.`]),
    ...(until.length === 0 ? [] : [`The iterations end early once ${all(until)}.`]),
    ...(agent === null ? [] : [agentLine(agent)]),
  ];
}

function agentLine({ name, description, tools, cannot }: AgentLimits): string {
  const list = (words: readonly string[]) => oneLine(words.join(", "), longest.agent);
  const parts = [
    `The agent "${oneLine(name, 100)}": ${oneLine(description, longest.agent).replace(/\.$/, "")}.`,
    ...(tools.length === 0 ? [] : [`Its tools: ${list(tools)}.`]),
    ...(cannot.length === 0 ? [] : [`It must not: ${list(cannot)}.`]),
  ];
  return parts.join(" ");
}

interface Group {
  readonly head: string;
  readonly what: string;
  readonly items: readonly string[];
}

/**
 * The rules as one text: those of the visit, then required reading, reminders and variables of the run, if it is given.
 * What does not fit is counted in one line, which says where the rest is.
 */
export function rulesText(visit: VisitRules, run: RunRules | null, whereIsTheRest: string): string {
  const lines = visitRuleLines(visit);
  const left: string[] = [];
  const pointer = () => (left.length === 0 ? [] : [`Not shown here: ${left.join(", ")}; ${whereIsTheRest}.`]);
  const fits = (more: readonly string[]) => {
    const room = [...lines, ...more, `Not shown here: 999 files, 999 reminders, 999 variables; ${whereIsTheRest}.`];
    return estimateTokens(room.join("\n")) <= mostRuleTokens;
  };
  for (const { head, what, items } of run === null ? [] : groupsOf(run)) {
    const taken: string[] = [];
    for (const item of items) {
      if (!fits([head, ...taken, item])) break;
      taken.push(item);
    }
    if (taken.length > 0) lines.push(head, ...taken);
    const rest = items.length - taken.length;
    if (rest > 0) left.push(`${rest} ${rest === 1 ? what.replace(/s$/, "") : what}`);
  }
  return [...lines, ...pointer()].join("\n");
}

function groupsOf({ requiredReading, keyReminders, context }: RunRules): Group[] {
  return [
    {
      head: "Required reading, unless it is in your context:",
      what: "files",
      items: requiredReading.map(({ path, missing }) => {
        return `  ${oneLine(path, longest.path)}${missing ? " (missing)" : ""}`;
      }),
    },
    {
      head: "Key reminders:",
      what: "reminders",
      items: keyReminders.map((reminder) => `  - ${oneLine(reminder, longest.reminder)}`),
    },
    {
      head: "Variables:",
      what: "variables",
      items: Object.entries(context).map(
        ([name, value]) => `  ${oneLine(name, 100)}: ${valueText(value, longest.value)}`,
      ),
    },
  ];
}
