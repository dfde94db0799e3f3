import { namedIn } from "../model/placeholder.ts";
import { quote } from "../model/quote.ts";
import { budgetLimits } from "../model/visit-rules.ts";
import { lostFiles, missingSchemas } from "./gates.ts";
import { type Entry, entriesOf, everyEntry, fieldsOf, idOf, type Outline, textOf } from "./outline.ts";
import { type Finding, type Path, warning } from "./problem.ts";
import { findLargeTexts, type SizeOf } from "./sizes.ts";
import { sourceWarnings } from "./task-sources.ts";

/** Finds what is valid but probably a mistake. */
export function findWarnings(template: Outline, sizeOf: SizeOf): Finding[] {
  return [
    ...unusedLoops(template),
    ...unusedAgents(template),
    ...alikeVariables(template),
    ...everyEntry(template).flatMap(entryWarnings),
    ...everyEntry(template).flatMap((entry) => uselessLimits(template, entry)),
    ...unreachable(template),
    ...splitPhases(template.steps),
    ...findLargeTexts(template, sizeOf),
    ...missingSchemas(template, sizeOf),
    ...lostFiles(template),
    ...sourceWarnings(template),
  ];
}

/** If a loop step has no loop, an unused loop is probably its misspelt name, which is reported already. */
function unusedLoops({ steps, loops, loopIds }: Outline): Finding[] {
  const used = new Set(steps.filter(({ fields }) => fields.type === "loop").map(({ fields }) => fields.id));
  if ([...used].some((id) => typeof id !== "string" || !loopIds?.has(id))) return [];
  return loops
    .filter(({ id }) => !used.has(id))
    .map(({ id, path }) => warning(path, `no step uses the loop ${quote(id)}`, { at: "key" }));
}

function unusedAgents(template: Outline): Finding[] {
  const agents = template.agents ?? new Set();
  const used = new Set(everyEntry(template).flatMap(({ fields }) => textOf(fields.agent) ?? []));
  if ([...used].some((agent) => !agents.has(agent))) return [];
  return [...agents]
    .filter((agent) => !used.has(agent))
    .map((agent) => warning(["agents", agent], `no step uses the agent ${quote(agent)}`, { at: "key" }));
}

/** The environment of commands has the names of variables in capitals. */
function alikeVariables({ variables }: Outline): Finding[] {
  const first = new Map<string, string>();
  return [...(variables ?? [])].flatMap((name) => {
    const inCommands = name.toUpperCase();
    const other = first.get(inCommands);
    first.set(inCommands, other ?? name);
    if (other === undefined) return [];
    const problem = `is HOLDFAST_VAR_${inCommands} for commands, as is ${quote(other)}; only one of them arrives`;
    return [warning(["variables", name], problem, { at: "key" })];
  });
}

function entryWarnings({ path, fields }: Entry): Finding[] {
  const findings: Finding[] = [];
  const retries = fields.on_fail === "retry" || (fields.on_fail === undefined && path[0] === "loops");
  const jumps = fieldsOf(fields.on_fail).go_to !== undefined;
  // `holdfast run` counts gates that fail, too.
  const hasGates = fields.gate !== undefined;
  if (fields.max_retries !== undefined && !retries && !jumps && !hasGates) {
    findings.push(warning([...path, "max_retries"], "has no effect without on_fail: retry or go_to, or a gate"));
  }
  const checks = ["gate", "until"].flatMap((list) => entriesOf(fields[list], [...path, list]));
  const own = fields.type === "command" ? commandWarnings(fields.run, [...path, "run"]) : [];
  const source = commandWarnings(fieldsOf(fields.tasks).run, [...path, "tasks", "run"]);
  return [
    ...findings,
    ...own,
    ...source,
    ...checks.flatMap((check) => commandWarnings(check.fields.run, [...check.path, "run"])),
  ];
}

/** A limit of a visit that the whole run reaches first. */
function uselessLimits({ budget }: Outline, { path, fields }: Entry): Finding[] {
  const own = fieldsOf(fields.budget);
  return budgetLimits.flatMap((limit) => {
    const [visit, run] = [own[limit], budget.fields[limit]].map((value) => (typeof value === "number" ? value : null));
    if (visit == null || run == null || visit <= run) return [];
    return [warning([...path, "budget", limit], `is never reached: the budget of the whole run has ${limit}: ${run}`)];
  });
}

function commandWarnings(run: unknown, path: Path): Finding[] {
  const words: unknown[] = Array.isArray(run) ? run : [run];
  const [placeholder] = words.flatMap((word) => namedIn(textOf(word) ?? ""));
  if (placeholder === undefined) return [];
  const { source, root, name } = placeholder;
  const instead =
    root === "vars" ? `use $HOLDFAST_VAR_${name.toUpperCase()} instead of ${source}` : `${source} stays as it is`;
  return [warning(path, `placeholders are not filled in commands; ${instead}`)];
}

/** Finds steps that neither the order, nor an outcome, nor a pivot, nor a failure leads to. */
function unreachable({ steps, loops, budget }: Outline): Finding[] {
  const places = new Map(steps.map(({ fields }, index) => [idOf(fields), index]));
  const subSteps = new Map(loops.map((loop) => [loop.id, loop.subSteps]));
  const reached = new Set<number>();
  const open = [0, places.get(textOf(budget.fields.pivot_to)) ?? -1];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const step = steps[index];
    if (step === undefined || reached.has(index)) continue;
    reached.add(index);
    if (canContinue(step)) open.push(index + 1);
    const inner = step.fields.type === "loop" ? (subSteps.get(idOf(step.fields) ?? "") ?? []) : [];
    const pivots = [step, ...inner].map(({ fields }) => fieldsOf(fields.budget).pivot_to);
    const jumps = [step, ...inner].map(({ fields }) => fieldsOf(fields.on_fail).go_to);
    for (const target of [...Object.values(fieldsOf(step.fields.outcomes)), ...pivots, ...jumps]) {
      open.push(places.get(textOf(target)) ?? -1);
    }
  }
  return steps.flatMap(({ path, fields }, index) =>
    reached.has(index) ? [] : [warning(path, `the step ${quote(idOf(fields) ?? "")} can never be reached`)],
  );
}

function canContinue({ fields }: Entry): boolean {
  const targets = Object.values(fieldsOf(fields.outcomes));
  return targets.length === 0 || targets.includes("next") || fields.on_fail === "skip";
}

function splitPhases(steps: readonly Entry[]): Finding[] {
  const ended = new Set<string>();
  return steps.flatMap(({ path, fields }, index) => {
    const before = textOf(steps[index - 1]?.fields.phase);
    const phase = textOf(fields.phase);
    if (before !== undefined && before !== phase) ended.add(before);
    if (phase === undefined || !ended.has(phase)) return [];
    return [
      warning(
        [...path, "phase"],
        `the phase ${quote(phase)} has already ended; this counts as a second phase with the same name`,
      ),
    ];
  });
}
