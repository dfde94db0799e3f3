import type { VisitRules } from "../model/visit-rules.ts";
import { oneLine, valueText } from "./data-text.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import type { HandoffFacts } from "./facts.ts";
import { visitRuleLines } from "./sections.ts";

/** What applies to the whole run. */
export type RunRules = Pick<HandoffFacts, "requiredReading" | "keyReminders" | "context">;

/** Rules may take 400 tokens beside the instructions. Short names and numbers take more of them than is estimated. */
const mostRuleTokens = 400 * 0.85;

/** Maximum lengths of single items, in characters. */
const longest = { path: 200, reminder: 300, value: 200 };

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
