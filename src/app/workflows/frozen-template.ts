import { HoldfastError, isHoldfastError } from "../../errors.ts";
import { isRecord, parseJson } from "../../model/json.ts";
import type { StartedRun } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import type { Deps } from "../../operation/operation.ts";
import { sha256Hex } from "../../platform/files.ts";
import { isUnchanged, type Stamp, stampOf } from "../../platform/stamp.ts";
import { neededVersion } from "../../store/journal-line.ts";
import type { RunFiles } from "../../store/run-files.ts";
import { hashTemplate, newerFormat, templateFile } from "../../templates/hash.ts";
import {
  type FoundWorkflow,
  findBaseHere,
  findEntry,
  ownFolder,
  placesOf,
  readWorkflow,
  readWorkflowFile,
} from "./catalog.ts";
import { isSecondEdition } from "./edition.ts";
import type { Frozen } from "./parse-frozen.ts";

export async function freezeTemplate(deps: Deps, runId: string, found: FoundWorkflow): Promise<void> {
  const { from, source, template } = found;
  const bases = found.bases.map((base) => ({ extends: base.extends, source: base.source }));
  const edition = isSecondEdition(template) ? { format: 2, needs: neededVersion } : { format: 1 };
  const text = JSON.stringify({ ...edition, from, source, ...(bases.length === 0 ? {} : { bases }), template });
  deps.files.write(runId, templateFile(found.hash), text, "flushed");
}

/** The template that a run was started with or has adopted since. */
export async function readFrozen(deps: Deps, run: StartedRun): Promise<Frozen> {
  const known = knownOf(deps);
  const { runId, templateHash: hash } = run;
  const last = known.get(runId);
  if (last?.hash === hash) return last.frozen;
  const frozen = await readFrozenFile(deps, run);
  known.set(runId, { hash, frozen });
  return frozen;
}

/** Cached: a template is identified by its hash and never changes. */
const knownByFiles = new WeakMap<RunFiles, Known>();

/** The last template read for each run. */
type Known = Map<string, { readonly hash: string; readonly frozen: Frozen }>;

function knownOf({ files }: Deps): Known {
  const known: Known = knownByFiles.get(files) ?? new Map();
  knownByFiles.set(files, known);
  return known;
}

async function readFrozenFile(deps: Deps, run: StartedRun): Promise<Frozen> {
  const name = templateFile(run.templateHash);
  const text = await deps.files.read(run.runId, name);
  const broken = (problem: string, fix?: string) =>
    new HoldfastError("state-broken", { file: `${run.runId}/${name}`, problem, ...(fix !== undefined && { fix }) });
  if (text === null)
    throw broken(
      "the run's template is missing",
      `restore the file, or give the run up: holdfast rm ${run.runId} --yes`,
    );
  const known = knownByHash(`${run.runId}/${name}`, text, run.templateHash);
  if (known !== null) return known;
  const { parseFrozen } = await import("./parse-frozen.ts");
  const frozen = parseFrozen(`${run.runId}/${name}`, text, run.templateHash);
  if (typeof frozen === "string") throw broken(frozen);
  return frozen;
}

/**
 * A template is checked against its schema before a run starts with it or is received with it. After that its hash,
 * which the journal holds, shows that it is still the same, and the schemas need not be loaded.
 */
function knownByHash(file: string, text: string, hash: string): Frozen | null {
  const stored = parseJson(text);
  const newer = newerFormat(stored);
  if (newer !== null) throw new HoldfastError("format-newer", { file, ...newer });
  if (!isRecord(stored) || (stored.format !== 1 && stored.format !== 2)) return null;
  const { format, needs: _needs, from, source, bases = [], template, ...more } = stored;
  if (typeof from !== "string" || typeof source !== "string" || !isRecord(template)) return null;
  if (!isBaseList(bases) || Object.keys(more).length > 0) return null;
  const known = template as unknown as Template;
  return hashTemplate(known) === hash ? { format, from, source, bases, template: known } : null;
}

type FrozenBases = NonNullable<Frozen["bases"]>;

function isBaseList(value: unknown): value is FrozenBases {
  const isBase = (each: unknown) =>
    isRecord(each) && typeof each.extends === "string" && typeof each.source === "string";
  return Array.isArray(value) && value.every(isBase);
}

/** Whether the workflow's file, or one that it extends, has changed since the run was started with it. */
export async function hasDrifted(deps: Deps, run: StartedRun, frozen: Frozen): Promise<boolean> {
  const last = drifts.get(frozen);
  if (last?.stamps.every(isUnchanged)) return last.drifted;
  // Take the stamps before reading: a change in between shows up in the next stamps.
  const places = [...placesOf(deps, frozen.from), ...(frozen.bases?.length ? [ownFolder(deps)] : [])].map(stampOf);
  const entry = await findEntry(deps, frozen.from);
  const stamps = entry === null ? places : [...places, stampOf(entry.file)];
  const bases = entry === null ? [] : readBases(deps, entry.file, frozen.bases ?? []);
  const drifted = entry !== null && (await differs(deps, entry.file, run, frozen, bases));
  // A base that was changed after it was read is too new to be settled.
  const all = [...stamps, ...bases.map((base) => stampOf(base?.file ?? ""))];
  if (all.every(({ settled }) => settled) && !bases.includes(null)) drifts.set(frozen, { stamps: all, drifted });
  return drifted;
}

/** The last result and the files it was read from; valid until one of them changes. */
interface Drift {
  readonly stamps: readonly Stamp[];
  readonly drifted: boolean;
}

const drifts = new WeakMap<Frozen, Drift>();

interface ReadBase {
  readonly file: string;
  readonly isSame: boolean;
}

/** Follows `extends` as it was when the run started, without reading YAML; ends with null where a base is missing. */
function readBases(deps: Deps, file: string, bases: FrozenBases): (ReadBase | null)[] {
  if (bases.length === 0) return [];
  const findBase = findBaseHere(deps);
  const read: (ReadBase | null)[] = [];
  let from = file;
  for (const base of bases) {
    const found = findBase(base.extends, from);
    if (typeof found === "string") return [...read, null];
    read.push({ file: found.file, isSame: sha256Hex(found.content) === base.source });
    from = found.file;
  }
  return read;
}

async function differs(
  deps: Deps,
  file: string,
  run: StartedRun,
  { source }: Frozen,
  bases: readonly (ReadBase | null)[],
): Promise<boolean> {
  try {
    if (sha256Hex(readWorkflowFile(deps, file)) === source && bases.every((base) => base?.isSame)) return false;
    const reading = await readWorkflow(deps, file);
    return !reading.ok || reading.hash !== run.templateHash;
  } catch (error) {
    // The run does not need this file, so an unreadable one must not fail the call.
    if (isHoldfastError(error, "file-unreadable")) return true;
    throw error;
  }
}
