import { basename } from "node:path";
import { bare } from "../../model/quote.ts";
import { sha256Hex } from "../../platform/files.ts";
import { changeAlone, notAWorkflow } from "../load.ts";
import { error, type Finding, type Problem } from "../problem.ts";
import { reservedKeys } from "../reserved.ts";
import { type ReadableSource, readSource } from "../source.ts";
import { type Fields, isMap } from "../value.ts";
import { absent, show } from "../wording.ts";
import type { BaseFile, FindBase } from "./base-file.ts";
import { type Change, readChanges } from "./read-changes.ts";

/** One file of a chain: the workflow itself, or the one that the file before it extends. */
export interface Layer extends ParsedFile {
  readonly fields: Fields;
  readonly changes: readonly Change[];
}

interface ParsedFile {
  readonly file: string;
  /** How messages name it; null for the workflow itself. */
  readonly label: string | null;
  readonly source: ReadableSource;
}

/** A workflow that is extended: as `extends` names it, where it is from, and a hash of its bytes. */
export interface Base extends Pick<BaseFile, "origin"> {
  readonly extends: string;
  readonly source: string;
}

export interface Chain {
  /** From the workflow itself to the one that extends none. */
  readonly layers: readonly Layer[];
  readonly bases: readonly Base[];
  readonly problems: readonly Problem[];
  /** False if a base could not be read, so that there is nothing to put together. */
  readonly isWhole: boolean;
}

const longestChain = 8;

/** Reads what a workflow extends, and what that extends, with all that is wrong in each file by itself. */
export function readChain(file: string, source: ReadableSource, findBase: FindBase): Chain {
  return follow({ file, label: null, source }, [], findBase);
}

function follow(file: ParsedFile, above: readonly Layer[], findBase: FindBase): Chain {
  const { value, problems: syntax } = file.source;
  const found = (findings: readonly Finding[]) => [
    ...syntax.map((problem) => inFile(file, problem)),
    ...findings.map((finding) => placeIn(file, finding)),
  ];
  if (!isMap(value)) return { layers: [], bases: [], problems: found([notAWorkflow(value)]), isWhole: false };
  const isExtension = Object.hasOwn(value, "extends");
  const { changes, findings } = isExtension ? readChanges(value.change) : unextended(value);
  const layer = { ...file, fields: value, changes };
  const problems = found([...reservedKeys(value), ...findings, ...(isExtension ? extensionFindings(layer) : [])]);
  if (!isExtension) return { layers: [layer], bases: [], problems, isWhole: true };
  const base = readBase(layer, [...above, layer], findBase);
  if ("problems" in base) {
    return { layers: [layer], bases: [], problems: [...problems, ...base.problems], isWhole: false };
  }
  const rest = follow(base, [...above, layer], findBase);
  return {
    layers: [layer, ...rest.layers],
    bases: [{ extends: base.reference, origin: base.origin, source: base.hash }, ...rest.bases],
    problems: [...problems, ...rest.problems],
    isWhole: rest.isWhole,
  };
}

function unextended({ change }: Fields): {
  readonly changes: readonly Change[];
  readonly findings: readonly Finding[];
} {
  const isGiven = change !== undefined && change !== null;
  return { changes: [], findings: isGiven ? [error(["change"], changeAlone, { at: "key" })] : [] };
}

/** A base may lack what only a workflow that is started needs. */
function extensionFindings({ fields, label }: Layer): Finding[] {
  const steps = Object.hasOwn(fields, "steps")
    ? [error(["steps"], "a workflow that extends another has no steps of its own; use change", { at: "key" })]
    : [];
  const isNamed = label !== null || Object.hasOwn(fields, "name");
  return isNamed
    ? steps
    : [...steps, error(["name"], "is missing; a workflow that extends another needs its own name")];
}

interface BaseLayer extends ParsedFile, Pick<BaseFile, "origin"> {
  readonly reference: string;
  readonly hash: string;
}

function readBase(
  layer: Layer,
  layers: readonly Layer[],
  findBase: FindBase,
): BaseLayer | { readonly problems: readonly Problem[] } {
  const refused = (message: string) => ({ problems: [placeIn(layer, error(["extends"], message))] });
  const given = layer.fields.extends;
  const reference = typeof given === "string" ? given.trim() : "";
  if (reference === "") return refused(referenceWording(given));
  if (/\p{Cc}/u.test(reference)) return refused("must not contain control characters");
  if (layers.length > longestChain) return refused(`more than ${longestChain} workflows extend one another`);
  const base = findBase(reference, layer.file);
  if (typeof base === "string") return refused(base);
  const { file, origin, label, content } = base;
  if (layers.some((each) => each.file === file)) return refused(cycleWording(layers, file));
  const source = readSource(content);
  if (!source.readable) return { problems: source.problems.map((problem) => ({ ...problem, file: label })) };
  if (isFaber(source.value)) {
    return refused(`${bare(label)} is a FABER workflow; convert it first with holdfast import-workflow`);
  }
  return { file, origin, label, source, reference, hash: sha256Hex(content) };
}

function referenceWording(given: unknown): string {
  const wanted = "the name of a workflow, or the relative path of its file";
  if (given === null || given === undefined || given === "") return `${absent(null, "")}; it must be ${wanted}`;
  return `must be ${wanted}, not ${show(given)}`;
}

function cycleWording(layers: readonly Layer[], file: string): string {
  const round = layers.slice(layers.findIndex((each) => each.file === file)).map((each) => basename(each.file));
  return `the workflows extend one another in a circle: ${[...round, round[0]].join(" → ")}`;
}

function isFaber(value: unknown): boolean {
  return isMap(value) && isMap(value.phases) && !Object.hasOwn(value, "steps") && !Object.hasOwn(value, "name");
}

/** The problem of a finding whose path is one of this file. */
export function placeIn(file: Pick<Layer, "label" | "source">, finding: Finding): Problem {
  return inFile(file, file.source.place(finding));
}

function inFile({ label }: Pick<Layer, "label">, problem: Problem): Problem {
  return label === null ? problem : { ...problem, file: label };
}
