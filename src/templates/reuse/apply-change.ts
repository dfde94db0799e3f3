import { choices } from "../../model/nearest.ts";
import { quote } from "../../model/quote.ts";
import { Step, SubStep } from "../../model/template.ts";
import { textOf } from "../outline.ts";
import { error, type Finding, type Path, warning } from "../problem.ts";
import { isMap, valueAt } from "../value.ts";
import { type FoundStep, findLoop, findStep, type Named } from "./find-step.ts";
import { itemsOf, type Located, listOf, partOf, withoutPart, withPart } from "./located.ts";
import type { Change } from "./read-changes.ts";

export interface Applied {
  readonly workflow: Located;
  /** Why the change could not be applied, and what has no effect, at their paths in the file. */
  readonly findings: readonly Finding[];
}

/** Applies one change of the file `layer`. A step that cannot be found leaves the workflow as it is. */
export function applyChange(named: Named, layer: number, change: Change): Applied {
  const { workflow } = named;
  // A broken list is reported by the check of the result.
  if (itemsOf(partOf(workflow, "steps")) === null) return { workflow, findings: [] };
  if (change.type === "insert") return insert(named, layer, change);
  const found = findStep(named, change.target);
  if (typeof found === "string") return { workflow, findings: [error([...change.path, "step"], found)] };
  const { list, index } = found;
  if (change.type === "remove") return { workflow: remove(workflow, list, index), findings: [] };
  const edited = editList(workflow, list, (items) =>
    items.map((item, each) => (each === index ? setFields(item, layer, change) : item)),
  );
  return { workflow: edited, findings: nothingToRemove(valueAt(workflow.value, [...list, index]), change) };
}

function insert(named: Named, layer: number, change: Extract<Change, { type: "insert" }>): Applied {
  const { at, target, path } = change;
  const { workflow } = named;
  const steps = change.steps.map(
    (value, index): Located => ({ value, origin: { layer, path: [...path, "insert", index] } }),
  );
  const into = (list: Path, index: number) => editList(workflow, list, (items) => items.toSpliced(index, 0, ...steps));
  const isEnd = at === "first" || at === "last";
  const found = isEnd ? findEnd(named, at, target) : findStep(named, String(target));
  if (typeof found !== "string") {
    return { workflow: into(found.list, found.index + (at === "after" ? 1 : 0)), findings: [] };
  }
  // Steps that have no place are still checked, and a step that leads to them is not reported too.
  const isStep = !isEnd && !String(target).includes("/");
  const findings = [error([...path, at], found)];
  return { workflow: isStep ? into(["steps"], Number.POSITIVE_INFINITY) : workflow, findings };
}

function findEnd(named: Named, at: "first" | "last", target: string | true): FoundStep | string {
  const list = target === true ? ["steps"] : findLoop(named, target);
  return typeof list === "string" ? list : { list, index: at === "first" ? 0 : Number.POSITIVE_INFINITY };
}

/** Null removes a key; any other value replaces the whole of it. */
function setFields(step: Located, layer: number, { path, fields }: Extract<Change, { type: "set" }>): Located {
  return Object.entries(fields).reduce((edited, [key, value]) => {
    if (value === null) return withoutPart(edited, key);
    return withPart(edited, key, { value, origin: { layer, path: [...path, "set", key] } });
  }, step);
}

/** A null for a key that the step does not have: it may be misspelt, or the base has changed. */
function nothingToRemove(step: unknown, { path, fields, target }: Extract<Change, { type: "set" }>): Finding[] {
  const missing = Object.keys(fields).filter((key) => fields[key] === null && !Object.hasOwn(Object(step), key));
  return missing.map((key) => {
    const here = [...path, "set", key];
    if (stepKeys.has(key)) return warning(here, `has no effect: ${quote(target)} has no ${key}`, { at: "key" });
    return error(here, `unknown key ${quote(key)}${choices(key, stepKeys, "known keys:")}`, { at: "key" });
  });
}

const stepKeys = new Set([...Step.options, SubStep].flatMap(({ shape }) => Object.keys(shape)));

/** A loop goes with its step: nothing else can use it. */
function remove(workflow: Located, list: Path, index: number): Located {
  const step = valueAt(workflow.value, [...list, index]);
  const rest = editList(workflow, list, (items) => items.toSpliced(index, 1));
  const loops = partOf(rest, "loops");
  const id = isMap(step) && step.type === "loop" && list.length === 1 ? textOf(step.id) : undefined;
  return id === undefined || loops === undefined ? rest : withPart(rest, "loops", withoutPart(loops, id));
}

/** The list stands at the top or in a map at the top. */
function editList(workflow: Located, [key = "", inner]: Path, edit: (items: Located[]) => Located[]): Located {
  const part = partOf(workflow, String(key));
  if (part === undefined) return workflow;
  if (inner !== undefined) return withPart(workflow, String(key), editList(part, [inner], edit));
  const items = itemsOf(part);
  return items === null ? workflow : withPart(workflow, String(key), listOf(edit(items), part.origin));
}
