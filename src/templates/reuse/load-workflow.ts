import type { Template } from "../../model/template.ts";
import { sha256Hex } from "../../platform/files.ts";
import { check, conclude, type Reading, readAlone } from "../load.ts";
import { error, type Finding, type Problem } from "../problem.ts";
import type { SizeOf } from "../sizes.ts";
import { readSource } from "../source.ts";
import { sizeLimit } from "../text.ts";
import { isMap } from "../value.ts";
import type { FindBase } from "./base-file.ts";
import { type Base, type Layer, placeIn, readChain } from "./chain.ts";
import { explain } from "./explain.ts";
import { causeFinder } from "./find-cause.ts";
import { editsOf, resolve } from "./resolve.ts";

/** The reading of a workflow with what it extends. */
export type WorkflowReading = Reading & {
  /** A hash of the file's bytes. */
  readonly source: string;
  /** From the workflow that it extends to the one that extends none. */
  readonly bases: readonly Base[];
};

interface WorkflowFile {
  readonly file: string;
  readonly content: Uint8Array;
}

/** Reads a workflow file with everything that it extends, as one template. Problems in a base have the file's name. */
export function loadWorkflow(
  { file, content }: WorkflowFile,
  findBase: FindBase,
  sizeOf: SizeOf = () => 0,
): WorkflowReading {
  const parsed = readSource(content);
  const source = sha256Hex(content);
  if (!parsed.readable) return { ...conclude(null, parsed.problems), source, bases: [] };
  if (!isMap(parsed.value) || !Object.hasOwn(parsed.value, "extends")) {
    return { ...readAlone(parsed, sizeOf), source, bases: [] };
  }
  const { layers, bases, problems, isWhole } = readChain(file, parsed, findBase);
  const reading = isWhole ? readResolved(layers, problems, sizeOf) : conclude(null, problems);
  return { ...reading, source, bases };
}

function readResolved(layers: readonly Layer[], before: readonly Problem[], sizeOf: SizeOf): Reading {
  const edits = editsOf(layers);
  const { workflow, findings: misfits } = resolve(layers, edits);
  const { template, findings } = check(workflow.value, sizeOf);
  const causeOf = causeFinder(layers, edits, (value) => check(value, sizeOf).findings);
  const problems = [
    ...before,
    ...misfits.flatMap(({ layer, finding }) => placeMisfit(layers, layer, finding)),
    ...findings.flatMap((finding) => explain({ layers, workflow, causeOf }, finding) ?? []),
    ...(template === null ? [] : tooLarge(layers, template)),
  ];
  return conclude(template, withoutRepeats(problems));
}

/** The warnings of a base belong to those who write it. */
function placeMisfit(layers: readonly Layer[], layer: number, finding: Finding): Problem[] {
  const own = layers[layer];
  return own === undefined || (finding.severity === "warning" && layer !== 0) ? [] : [placeIn(own, finding)];
}

/** A chain of files must not get around the limit of one. */
function tooLarge([own]: readonly Layer[], template: Template): Problem[] {
  if (own === undefined || JSON.stringify(template).length <= sizeLimit) return [];
  return [placeIn(own, error(["extends"], `with its bases, the workflow is larger than ${sizeLimit / 1024} KiB`))];
}

function withoutRepeats(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}
