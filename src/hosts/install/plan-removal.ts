import type { Host, HostFile } from "../contract/host.ts";
import { hostNames } from "../contract/names.ts";
import { extraFile } from "../extras/extras.ts";
import { hosts } from "../hosts.ts";
import { shimFiles } from "../shims/shim-files.ts";
import { extrasToRemove } from "./find-extras.ts";
import { hashOf, type InstalledRecord, readOriginal, readRecord } from "./installed-record.ts";
import {
  byPath,
  type Change,
  editBytes,
  emptyPlanDraft,
  extrasBefore,
  type Plan,
  type PlanDraft,
  textOf,
} from "./plan.ts";
import { isLinked, type PresentFile, readProjectFile, underEachName } from "./project-file.ts";

/** Plans to restore a project to the state before the hosts were set up. What another host needs stays. */
export function planRemoval(project: string, chosen: readonly Host[]): Plan {
  const draft = emptyPlanDraft(project);
  const before = readRecord(project);
  const mine = new Set(chosen.flatMap((host) => host.files));
  const others = hostNames.map((name) => hosts[name]).filter((host) => !chosen.includes(host));
  const needed = others
    .filter(({ files }) => files.some((file) => !mine.has(file) && holdsOurs(project, file)))
    .flatMap(({ files }) => [...files, ...shimFiles]);
  const extras = [...byPath(extrasToRemove(chosen, needed.length === 0))];
  const files = [
    ...[...shimFiles, ...mine].filter((file) => !needed.includes(file)).flatMap(underEachName),
    ...extras.map(([path, wishes]) => extraFile(path, wishes, extrasBefore(project, before, path))),
  ];
  for (const file of files) planFile(project, file, before, draft);
  const gone = new Set(files.map(({ path }) => path));
  const record = Object.fromEntries(Object.entries(before).filter(([path]) => !gone.has(path)));
  return { ...draft, record, extras: [] };
}

function holdsOurs(project: string, file: HostFile): boolean {
  return underEachName(file).some(({ path }) => {
    // Nothing of ours is ever written through a link, so one in a file of another host is no concern of this removal.
    const bytes = isLinked(project, path) ? null : (readProjectFile(project, path)?.bytes ?? null);
    if (bytes === null) return false;
    const without = editBytes(bytes, (text) => file.takeOut(text ?? "", text));
    return without.ok && !without.text?.equals(bytes);
  });
}

function planFile(project: string, file: HostFile, record: InstalledRecord, draft: PlanDraft): void {
  const { path } = file;
  const before = readProjectFile(project, path);
  if (before === null) return;
  const original = readOriginal(project, record, path);
  const known = record[path];
  if (known !== undefined && hashOf(before.bytes) === known.written && known.existed === (original !== null)) {
    draft.changes.push(given(path, before, original, "restored"));
    return;
  }
  const edited = editBytes(before.bytes, (text) => file.takeOut(text ?? "", textOf(original)));
  if (!edited.ok) draft.problems.push({ file: path, ...edited.problem });
  else if (!edited.text?.equals(before.bytes)) {
    draft.changes.push(given(path, before, edited.text, "cleaned"));
    if (edited.text !== null) draft.notes.push(`${path} was edited since; only what was put in is taken out`);
  }
}

function given(path: string, before: PresentFile, after: Buffer | null, what: Change["what"]): Change {
  return { path, what: after === null ? "deleted" : what, about: "", before, after };
}
