import { choices } from "../../model/nearest.ts";
import { bare, quote } from "../../model/quote.ts";
import { textOf } from "../outline.ts";
import type { Path } from "../problem.ts";
import { type Fields, isMap } from "../value.ts";
import { itemsOf, type Located, partOf } from "./located.ts";

/** The list of steps or sub-steps that a step is in, and its index there. */
export interface FoundStep {
  readonly list: Path;
  readonly index: number;
}

/** What a change of a workflow can name. `base` is what the file calls the workflow that it extends. */
export interface Named {
  readonly workflow: Located;
  readonly base: string;
  /** What earlier changes have removed. */
  readonly removed: ReadonlySet<string>;
}

/** Finds a step by its id, or a sub-step as `loop/sub-step`; a text says why there is none. An id may contain a slash. */
export function findStep({ workflow, base, removed }: Named, target: string): FoundStep | string {
  const names = namesIn(workflow);
  const found = [...names.entries()].flatMap(([list, ids]) => matches(list, ids, target));
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  if (first !== undefined) return `${quote(target)} is both a step and a sub-step; rename one of them in ${bare(base)}`;
  if (removed.has(target) || removed.has(loopOf(target))) return removedEarlier(target);
  return missing(names, base, target);
}

/** The list of the loop `target`; a text says why there is none. */
export function findLoop({ workflow, base, removed }: Named, target: string): Path | string {
  const names = namesIn(workflow);
  if (names.has(target)) return ["loops", target];
  return removed.has(target) ? removedEarlier(target) : noLoop(names, base, target);
}

function removedEarlier(target: string): string {
  return `${quote(target)} was removed by an earlier change`;
}

function loopOf(target: string): string {
  return target.slice(0, Math.max(0, target.indexOf("/")));
}

/** The ids in each list: of the steps under null, of the sub-steps under the id of their loop. */
type Names = ReadonlyMap<string | null, readonly (string | undefined)[]>;

function namesIn(workflow: Located): Names {
  const loops = partOf(workflow, "loops");
  const lists = isMap(loops?.value) ? Object.keys(loops.value) : [];
  const steps = partOf(workflow, "steps");
  return new Map([
    [null, idsOf(steps)],
    ...lists.map((loop) => [loop, idsOf(loops === undefined ? undefined : partOf(loops, loop))] as const),
  ]);
}

function idsOf(list: Located | undefined): readonly (string | undefined)[] {
  return (itemsOf(list) ?? []).map(({ value }) => textOf((isMap(value) ? (value as Fields) : {}).id));
}

function matches(loop: string | null, ids: readonly (string | undefined)[], target: string): FoundStep[] {
  const id = loop === null ? target : target.slice(loop.length + 1);
  if (loop !== null && !target.startsWith(`${loop}/`)) return [];
  const index = ids.indexOf(id);
  return index === -1 ? [] : [{ list: loop === null ? ["steps"] : ["loops", loop], index }];
}

function missing(names: Names, base: string, target: string): string {
  const loop = loopOf(target);
  if (names.has(loop)) {
    const ids = textsIn(names.get(loop));
    const id = target.slice(loop.length + 1);
    return `the loop ${quote(loop)} of ${bare(base)} has no sub-step ${quote(id)}${choices(id, ids, "it has")}`;
  }
  if (loop !== "") return noLoop(names, base, loop);
  const inside = [...names].find(([list, ids]) => list !== null && ids.includes(target));
  const hint =
    inside === undefined
      ? choices(target, textsIn(names.get(null)), "its steps are")
      : `; did you mean ${inside[0]}/${target}?`;
  return `${bare(base)} has no step ${quote(target)}${hint}`;
}

function noLoop(names: Names, base: string, target: string): string {
  if (names.get(null)?.includes(target)) return `the step ${quote(target)} of ${bare(base)} is not a loop`;
  const loops = textsIn([...names.keys()].map((loop) => loop ?? undefined));
  return `${bare(base)} has no loop ${quote(target)}${choices(target, loops, "its loops are")}`;
}

function textsIn(ids: readonly (string | undefined)[] = []): ReadonlySet<string> {
  return new Set(ids.filter((id) => id !== undefined));
}
