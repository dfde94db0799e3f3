import { choices, nearest } from "../model/nearest.ts";
import { joinWords, quote } from "../model/quote.ts";
import { stepTypes } from "../model/template.ts";
import { keysOf, requiredKeys, type Shapes, shapesAt, stepTypesWith } from "./known-keys.ts";
import { error, type Finding, type Path } from "./problem.ts";
import { valueAt } from "./value.ts";
import { noNestedWorkflows } from "./wording.ts";

/** The finding for a key that is not allowed at its place, and the key that was probably meant. */
export function unknownKey(value: unknown, path: Path, key: string): { finding: Finding; meant: string | null } {
  const shapes = shapesAt(value, path);
  const known = keysOf(shapes.fitting);
  const meant = nearest(key, known);
  const elsewhere = belongsElsewhere(value, path, key);
  const hint = isCutOff(value, [...path, key]) ? commaHint : choices(key, known, "known keys:");
  const message = elsewhere ?? `unknown key ${quote(key)}${hint}`;
  return { finding: error([...path, key], message, { at: "key" }), meant: elsewhere === null ? meant : null };
}

/** In a flow map, the part of an unquoted text after a comma becomes a key without a value. */
function isCutOff(value: unknown, path: Path): boolean {
  return String(path.at(-1)).includes(" ") && valueAt(value, path) === null;
}

const commaHint = "; text with a comma in it must be in quotes";

/** The message for a key that exists, but for another kind of entry. */
function belongsElsewhere(value: unknown, path: Path, key: string): string | null {
  const { fitting, others } = shapesAt(value, path);
  const owners = others.filter((shape) => Object.hasOwn(shape, key));
  const isStep = path.length === (path[0] === "loops" ? 3 : 2) && (path[0] === "loops" || path[0] === "steps");
  if (isStep && (key === "workflow" || key === "extends")) return noNestedWorkflows;
  if (path[0] === "loops" && path.length === 3) {
    return stepTypesWith(key).length > 0 ? `a sub-step cannot have ${key}; ${onlySteps(key)}` : null;
  }
  if (path.at(-2) === "until" && key === "approval")
    return "an approval cannot end the iterations; use run, command, exists or output";
  if (owners.length === 0) return null;
  if (path[0] === "steps" && path.length === 2) {
    return `a step of type ${String(valueAt(value, [...path, "type"]))} cannot have ${key}; ${onlySteps(key)}`;
  }
  return `an entry with ${needs(fitting)} cannot have ${key}; only one with ${needs(owners)} can`;
}

function onlySteps(key: string): string {
  const types = stepTypesWith(key);
  return types.length === stepTypes.length ? "only a step can" : `only a step of type ${joinWords(types, "or")} can`;
}

function needs(shapes: Shapes["fitting"]): string {
  return joinWords([...new Set(shapes.flatMap(requiredKeys))], "or");
}
