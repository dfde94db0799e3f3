import type { Gate } from "../../model/gate.ts";
import type { Step, SubStep, Template } from "../../model/template.ts";

/** The keys of steps and sub-steps that came with the second edition. */
const newKeys = ["when", "run", "tasks", "parallel", "model", "effort", "tools", "permissions"];
const newKeysOfAgents = ["model", "effort", "permissions"];

/** Whether a template has what only the second edition of the language knows: an older program would pass over it. */
export function isSecondEdition({ steps, loops = {}, variables = {}, agents = {}, budget }: Template): boolean {
  return (
    budget !== undefined ||
    Object.values(variables).some((value) => typeof value === "object") ||
    Object.values(agents).some((agent) => newKeysOfAgents.some((key) => key in agent)) ||
    [...steps, ...Object.values(loops).flat()].some(isNewEntry)
  );
}

function isNewEntry(entry: Step | SubStep): boolean {
  const { gate = [], until = [] }: { gate?: readonly Gate[] | undefined; until?: readonly Gate[] } = entry as SubStep;
  const hasNewKey = newKeys.some((key) => key in entry);
  return hasNewKey || typeof entry.on_fail === "object" || costs(entry) || [...gate, ...until].some(isNewCheck);
}

function costs({ budget }: Step | SubStep): boolean {
  return budget?.cost !== undefined;
}

function isNewCheck(check: Gate): boolean {
  return "output" in check || "command" in check || ("approval" in check && check.approval !== "human");
}
