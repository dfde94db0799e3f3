import type { Host, HostFile } from "../contract/host.ts";
import { hasHooks } from "../entries/hook-entries.ts";
import { addedExtras, type ExtraWish, extraFile } from "../extras/extras.ts";
import { shimFiles } from "../shims/shim-files.ts";
import { hashOf, type InstalledRecord, readOriginal, readRecord } from "./installed-record.ts";
import { byPath, editBytes, emptyPlanDraft, extrasBefore, type Plan, type PlanDraft, textOf } from "./plan.ts";
import { asNamedHere, readProjectFile } from "./project-file.ts";

/** Plans the setup of hosts in a project. The plan is empty if everything is up to date. */
export function planInstall(project: string, chosen: readonly Host[], extras: readonly ExtraWish[]): Plan {
  const draft = emptyPlanDraft(project);
  const before = readRecord(project);
  const record: Record<string, InstalledRecord[string]> = { ...before };
  // Two hosts may share a file.
  for (const each of new Set([...shimFiles, ...chosen.flatMap(({ files }) => files)])) {
    const file = asNamedHere(project, each);
    const written = planFile(project, file, before, draft);
    if (written !== null) record[file.path] = written;
  }
  for (const [path, wishes] of byPath(extras)) {
    const earlier = extrasBefore(project, before, path);
    const present = textOf(readProjectFile(project, path)?.bytes ?? null);
    const written = planFile(project, extraFile(path, wishes, earlier), before, draft);
    if (written !== null) record[path] = { ...written, added: addedExtras(present, wishes, earlier.added) };
  }
  for (const path of chosen.flatMap(({ otherSettings = [] }) => otherSettings)) noteDuplicates(project, path, draft);
  return { ...draft, record, extras: extras.filter(({ wanted }) => wanted).map(({ extra }) => extra.name) };
}

const purposes = {
  "MCP server": "the server with the workflow tools",
  plugin: "a plugin that puts the agent back on its run",
  commands: "a command for the person",
} as const;

function planFile(
  project: string,
  file: HostFile,
  record: InstalledRecord,
  { changes, notes, problems }: PlanDraft,
): InstalledRecord[string] | null {
  const { path, about = purposes[file.holds ?? "MCP server"] } = file;
  const before = readProjectFile(project, path);
  const edited = editBytes(before?.bytes ?? null, file.putIn);
  if (!edited.ok) {
    problems.push({ file: path, ...edited.problem });
    return null;
  }
  if (edited.note !== undefined) notes.push(edited.note);
  const after = edited.text;
  if (after === null || (before?.bytes ?? Buffer.of()).equals(after)) return null;
  const known = record[path];
  const what = before === null ? "created" : "updated";
  // Not edited since the last init: the original kept then is still the right one.
  if (known !== undefined && before !== null && hashOf(before.bytes) === known.written) {
    changes.push({ path, what, about, before, after });
    return { existed: known.existed, written: hashOf(after) };
  }
  const original = before === null ? null : originalOf(file, before.bytes, readOriginal(project, record, path));
  changes.push({ path, what, about, before, after, ...(original === null ? {} : { original }) });
  return { existed: original !== null, written: hashOf(after) };
}

/** The file without our entries. */
function originalOf(file: HostFile, bytes: Buffer, kept: Buffer | null): Buffer | null {
  const same = editBytes(bytes, (text) => file.takeOut(text ?? "", text));
  if (same.ok && same.text?.equals(bytes)) return bytes;
  const without = editBytes(bytes, (text) => file.takeOut(text ?? "", textOf(kept)));
  return without.ok ? without.text : bytes;
}

/** The host reads both files, so every hook would run twice. */
function noteDuplicates(project: string, path: string, { notes }: PlanDraft): void {
  const local = textOf(readProjectFile(project, path)?.bytes ?? null);
  if (local !== null && hasHooks(local)) notes.push(`${path} also has Holdfast hooks; remove them there`);
}
