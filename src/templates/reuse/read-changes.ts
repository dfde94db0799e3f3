import { choices, nearest } from "../../model/nearest.ts";
import { joinWords, quote } from "../../model/quote.ts";
import { error, type Finding, type Path } from "../problem.ts";
import { type Fields, isMap } from "../value.ts";
import { show } from "../wording.ts";

/** One entry of `change`, with its path in the file. */
export type Change = { readonly path: Path } & (
  | { readonly type: "insert"; readonly at: Side; readonly target: string | true; readonly steps: readonly unknown[] }
  | { readonly type: "set"; readonly target: string; readonly fields: Fields }
  | { readonly type: "remove"; readonly target: string }
);

/** Where steps are inserted: beside a step, or at an end of the workflow or of a loop. */
type Side = (typeof sides)[number];

export interface Changes {
  readonly changes: readonly Change[];
  readonly findings: readonly Finding[];
}

const sides = ["before", "after", "first", "last"] as const;
const actions = ["insert", "set", "remove"] as const;
const known = ["step", ...sides, ...actions];

/** Every change costs time in proportion to the workflow, so their number is limited. */
const mostChanges = 500;

/** Reads what stands under `change`. The steps in it are checked later, as parts of the resolved workflow. */
export function readChanges(value: unknown): Changes {
  if (value === undefined || value === null) return { changes: [], findings: [] };
  if (!Array.isArray(value)) return only(error(["change"], `must be a list of changes, not ${show(value)}`));
  if (value.length > mostChanges) return only(error(["change"], `must have at most ${mostChanges} changes`));
  const read = value.map((change: unknown, index) => readChange(change, ["change", index]));
  return {
    changes: read.flatMap((each) => ("type" in each ? [each] : [])),
    findings: read.flatMap((each) => ("type" in each ? [] : each.findings)),
  };
}

function only(finding: Finding): { readonly changes: readonly Change[]; readonly findings: readonly Finding[] } {
  return { changes: [], findings: [finding] };
}

function readChange(value: unknown, path: Path): Change | Pick<Changes, "findings"> {
  if (!isMap(value))
    return only(error(path, `must be a map, for example { step: plan, remove: true }, not ${show(value)}`));
  const strange = Object.keys(value).filter((key) => !known.includes(key));
  const findings = strange.map((key) =>
    error([...path, key], `unknown key ${quote(key)}${choices(key, new Set(known), "a change can have")}`, {
      at: "key",
    }),
  );
  // A misspelt key is what is missing.
  if (strange.some((key) => nearest(key, known) !== null)) return { findings };
  const shape = shapeProblem(value);
  if (shape !== null) return { findings: [...findings, error(path, shape)] };
  const faults = [...findings, ...valueProblems(value, path)];
  return faults.length > 0 ? { findings: faults } : changeOf(value, path);
}

/** A change has one place and one action, and not every action fits every place. */
function shapeProblem(change: Fields): string | null {
  const given = (keys: readonly string[]) => keys.filter((key) => Object.hasOwn(change, key));
  const [where, action] = [given(["step", ...sides]), given(actions)];
  const [place = "", second] = where;
  if (second !== undefined) return `has ${joinWords(where, "and")}; write a separate change for each`;
  if (place === "") return `does not say where; add ${joinWords(["step", ...sides], "or")}`;
  const fitting = place === "step" ? "set or remove" : "insert";
  if (action.length === 0) return `${place} needs ${fitting}`;
  if (action.length > 1) return `has ${joinWords(action, "and")}; write a separate change for each`;
  const isFitting = (place === "step") === (action[0] !== "insert");
  return isFitting ? null : `${action[0]} does not go with ${place}, which needs ${fitting}`;
}

function valueProblems(change: Fields, path: Path): Finding[] {
  return Object.entries(change).flatMap(([key, value]) => {
    const wanted = wantedValue(key, value);
    return wanted === null
      ? []
      : [error([...path, key], `must be ${wanted}, not ${isEmpty(value) ? "an empty one" : show(value)}`)];
  });
}

function isEmpty(value: unknown): boolean {
  return value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
}

function wantedValue(key: string, value: unknown): string | null {
  const isText = typeof value === "string" && value.trim() !== "";
  switch (key) {
    case "insert":
      return Array.isArray(value) && value.length > 0 ? null : "a list of at least one step";
    case "set":
      return isMap(value) && Object.keys(value).length > 0 ? null : "a map of at least one key of the step";
    case "remove":
      return value === true ? null : "true";
    case "first":
    case "last":
      return isText || value === true ? null : "true, or the id of a loop";
    default:
      return isText ? null : "the id of a step, or loop/sub-step";
  }
}

function changeOf(change: Fields, path: Path): Change {
  const at = sides.find((place) => Object.hasOwn(change, place));
  const target = String(change[at ?? "step"]);
  if (at !== undefined) {
    const steps: readonly unknown[] = Array.isArray(change.insert) ? change.insert : [];
    return { path, type: "insert", at, target: change[at] === true ? true : target, steps };
  }
  if (isMap(change.set)) return { path, type: "set", target, fields: change.set };
  return { path, type: "remove", target };
}
