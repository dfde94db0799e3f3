import { HoldfastError } from "../../errors.ts";
import type { RunEvent } from "../../model/event.ts";
import { isRecord, parseJson } from "../../model/json.ts";
import type { StartedRun } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import type { RunTexts } from "../../store/run-texts.ts";
import { hashTemplate, templateFile } from "../../templates/hash.ts";
import type { Snapshot } from "../snapshot.ts";

// A hook has no time for schemas. These take what our own programs wrote for what it says it is: a hash covers each of
// them, and nothing is decided on them.

export function uncheckedEvents(value: unknown): readonly RunEvent[] | string {
  return Array.isArray(value) && value.every(isEvent) ? value : "it is no list of events";
}

/** One that an older version wrote lacks what we read of a run; the journal has it. */
const readOfRuns = ["seats", "sessions", "card", "priming", "carried", "questions", "todo"];

export function uncheckedSnapshot(value: unknown): Snapshot | null {
  if (!isRecord(value) || value.format !== 1 || !isRecord(value.run)) return null;
  const { run } = value;
  return readOfRuns.every((key) => Object.hasOwn(run, key)) ? (value as unknown as Snapshot) : null;
}

/** Each template is read once: it is named by its hash, and never changes. */
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
