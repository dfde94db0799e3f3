import { choices, didYouMean } from "../model/nearest.ts";
import { compileGlob } from "../model/pattern/glob.ts";
import { quote } from "../model/quote.ts";
import { outcomeTargets } from "../model/template.ts";
import { parseTrigger } from "../model/trigger.ts";
import { artifactFindings } from "./artifacts.ts";
import { conditionFindings } from "./conditions.ts";
import { outputFindings } from "./gates.ts";
import { type Entry, everyEntry, fieldsOf, idOf, type Names, type Outline, textOf } from "./outline.ts";
import { placeholderFindings } from "./placeholders.ts";
import { error, type Finding, type Path } from "./problem.ts";
import { sourceFindings } from "./task-sources.ts";
import { toolFindings } from "./tools.ts";
import { variableFindings } from "./variables.ts";

/** Checks names across a template: references to things that do not exist, and ids that are used twice. */
export function checkReferences(template: Outline): Finding[] {
  return [
    ...duplicates(template),
    ...template.steps.flatMap((step) => [...lostLoop(template, step), ...outcomeFindings(template, step)]),
    ...everyEntry(template).flatMap((entry) => [
      ...lostAgent(template, entry),
      ...lostPivot(template, entry),
      ...lostFailure(template, entry),
      ...globFindings(entry),
    ]),
    ...toolFindings(template),
    ...lostStep(template.stepIds, template.budget.fields.pivot_to, [...template.budget.path, "pivot_to"]),
    ...transitionFindings(template),
    ...template.artifacts.flatMap((artifact) => [
      ...triggerFindings(template, artifact),
      ...artifactFindings(template, artifact),
    ]),
    ...placeholderFindings(template),
    ...conditionFindings(template),
    ...outputFindings(template),
    ...sourceFindings(template),
    ...variableFindings(template),
  ];
}

function duplicates({ steps, loops, artifacts }: Outline): Finding[] {
  return [
    ...repeatedIds(steps, "step"),
    ...loops.flatMap(({ id, subSteps }) => repeatedIds(subSteps, `sub-step of the loop ${quote(id)}`)),
    ...repeatedIds(artifacts, "critical artifact"),
  ];
}

function repeatedIds(entries: readonly Entry[], what: string): Finding[] {
  const seen = new Set<string>();
  return entries.flatMap(({ path, fields }) => {
    const id = textOf(fields.id);
    if (id === undefined) return [];
    if (seen.has(id)) return [error([...path, "id"], `${quote(id)} is already the id of another ${what}`)];
    seen.add(id);
    return [];
  });
}

function lostLoop({ loopIds }: Outline, { path, fields }: Entry): Finding[] {
  const id = textOf(fields.id);
  if (fields.type !== "loop" || id === undefined || loopIds === null || loopIds.has(id)) return [];
  const hint = choices(id, loopIds, "loops has");
  return [error([...path, "id"], `step ${quote(id)} is of type loop, but loops has no ${quote(id)}${hint}`)];
}

function lostAgent({ agents }: Outline, { path, fields }: Entry): Finding[] {
  const agent = textOf(fields.agent);
  if (agent === undefined || agents === null || agents.has(agent)) return [];
  const hint = choices(agent, agents, "agents has");
  return [
    error(
      [...path, "agent"],
      `${whose(path, fields)} names the agent ${quote(agent)}, which is not under agents${hint}`,
    ),
  ];
}

function whose([room, loop]: Path, fields: Entry["fields"]): string {
  const id = idOf(fields);
  if (room === "steps") return id === undefined ? "this step" : `step ${quote(id)}`;
  return id === undefined ? "this sub-step" : `sub-step ${quote(`${String(loop)}.${id}`)}`;
}

function outcomeFindings({ stepIds }: Outline, { path, fields }: Entry): Finding[] {
  if (stepIds === null) return [];
  const words: readonly string[] = outcomeTargets;
  return Object.entries(fieldsOf(fields.outcomes)).flatMap(([outcome, target]) => {
    if (typeof target !== "string") return [];
    const here = [...path, "outcomes", outcome];
    if (stepIds.has(target) && words.includes(target)) {
      return [error(here, `${quote(target)} is both a step and a reserved target; rename the step`)];
    }
    if (stepIds.has(target) || words.includes(target)) return [];
    const hint = didYouMean(target, [...stepIds, ...words]) || "; use the id of a step, next, complete or fail";
    return [error(here, `leads to ${quote(target)}, which is not a step${hint}`)];
  });
}

function lostPivot({ stepIds }: Outline, { path, fields }: Entry): Finding[] {
  return lostStep(stepIds, fieldsOf(fields.budget).pivot_to, [...path, "budget", "pivot_to"]);
}

/** Where a failure leads must be another step: trying the same one again is what `retry` is for. */
function lostFailure({ stepIds }: Outline, { path, fields }: Entry): Finding[] {
  const target = fieldsOf(fields.on_fail).go_to;
  const here = [...path, "on_fail", "go_to"];
  const own = path[0] === "steps" ? idOf(fields) : String(path[1]);
  if (target !== own || typeof target !== "string") return lostStep(stepIds, target, here);
  return [error(here, `${quote(target)} is the step itself; use on_fail: retry to try it again`)];
}

/** Patterns that no gate could match. */
function globFindings({ path, fields }: Entry): Finding[] {
  return ["gate", "until"].flatMap((list) => {
    const checks: readonly unknown[] = Array.isArray(fields[list]) ? fields[list] : [];
    return checks.flatMap((check, index) =>
      [fieldsOf(check).exists].flat().flatMap((glob) => {
        const compiled = typeof glob === "string" ? compileGlob(glob) : null;
        return compiled?.ok === false ? [error([...path, list, index, "exists"], compiled.problem)] : [];
      }),
    );
  });
}

function transitionFindings({ stepIds, transitions }: Outline): Finding[] {
  const seen = new Set<string>();
  return transitions.flatMap(({ path, fields: { from, to, reason } }) => {
    const lost = [...lostStep(stepIds, from, [...path, "from"]), ...lostStep(stepIds, to, [...path, "to"])];
    if (typeof from !== "string" || typeof to !== "string") return lost;
    const move = JSON.stringify([from, to, reason]);
    if (seen.has(move)) {
      const why = typeof reason === "string" ? ` for the reason ${reason}` : "";
      return [...lost, error(path, `there is already a transition from ${quote(from)} to ${quote(to)}${why}`)];
    }
    seen.add(move);
    return lost;
  });
}

function lostStep(stepIds: Names, step: unknown, path: Path): Finding[] {
  if (typeof step !== "string" || stepIds === null || stepIds.has(step)) return [];
  return [error(path, `${quote(step)} is not a step${choices(step, stepIds, "the steps are")}`)];
}

function triggerFindings({ steps, stepIds }: Outline, { path, fields }: Entry): Finding[] {
  const triggers: readonly unknown[] = Array.isArray(fields.reload_triggers) ? fields.reload_triggers : [];
  if (triggers.length === 0 || stepIds === null) return [];
  const phases = new Set(steps.flatMap((step) => textOf(step.fields.phase) ?? idOf(step.fields) ?? []));
  return triggers.flatMap((text, index) => {
    const here = [...path, "reload_triggers", index];
    const trigger = typeof text === "string" ? parseTrigger(text) : null;
    if (trigger?.type === "step-start") return lostStep(stepIds, trigger.step, here);
    if (trigger?.type === "phase-start") return lostPhases(phases, [trigger.phase], here);
    return trigger?.type === "phase-change" ? lostPhases(phases, [trigger.from, trigger.to], here) : [];
  });
}

function lostPhases(phases: ReadonlySet<string>, names: readonly string[], path: Path): Finding[] {
  return names
    .filter((name) => !phases.has(name))
    .map((name) => error(path, `${quote(name)} is not a phase${choices(name, phases, "the phases are")}`));
}
