import { HoldfastError } from "../../errors.ts";
import type { RunEvent } from "../../model/event.ts";
import { isRecord, parseJson } from "../../model/json.ts";
import type { StartedRun } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import type { RunTexts } from "../../store/run-files.ts";
import { hashTemplate, newerFormat, templateFile } from "../../templates/hash.ts";
import type { Snapshot } from "../snapshot.ts";

// A hook has no time for schemas, nor has a command that only shows. These readers trust what our own programs wrote: each is
// covered by a hash, and neither makes decisions from it.

export function uncheckedEvents(value: unknown): readonly RunEvent[] | string {
  return Array.isArray(value) && value.every(isEvent) ? value : "it is not a list of events";
}

/**
 * A snapshot from an older version may lack these fields; then the journal is read instead. Milestones are never renewed, so
 * whoever requires another field further down must raise the format.
 */
const readOfRuns = ["seats", "sessions", "card", "priming", "carried", "questions", "todo"];

export function uncheckedSnapshot(value: unknown): Snapshot | null {
  if (!isRecord(value) || value.format !== 1 || !isRecord(value.run)) return null;
  const { run } = value;
  if (run.status === "absent") return null;
  return readOfRuns.every((key) => Object.hasOwn(run, key)) ? (value as unknown as Snapshot) : null;
}

/** Reads each template once: its name is its hash, so it never changes. */
export function uncheckedTemplates(files: RunTexts): (run: StartedRun) => Promise<Template> {
  const known = new Map<string, Promise<Template>>();
  return (run) => {
    const template = known.get(run.templateHash) ?? readTemplate(files, run);
    known.set(run.templateHash, template);
    return template;
  };
}

async function readTemplate(files: RunTexts, run: StartedRun): Promise<Template> {
  const name = templateFile(run.templateHash);
  const frozen = parseJson((await files.read(run.runId, name)) ?? "");
  const newer = newerFormat(frozen);
  if (newer !== null) throw new HoldfastError("format-newer", { file: `${run.runId}/${name}`, ...newer });
  const template = isRecord(frozen) && isRecord(frozen.template) ? (frozen.template as unknown as Template) : null;
  if (template !== null && hashTemplate(template) === run.templateHash) return template;
  throw new HoldfastError("state-broken", {
    file: `${run.runId}/${name}`,
    problem: "it is not the template that the run knows",
  });
}

function isEvent(value: unknown): boolean {
  return isRecord(value) && typeof value.type === "string" && typeof value.seq === "number";
}
