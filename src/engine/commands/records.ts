import { isRelativePath } from "../../model/path-text.ts";
import type { StartedRun } from "../../model/run.ts";
import { cleanSummary } from "../../model/truncate.ts";
import { accept, type CommandHandler, createEventDraft } from "./decision.ts";

export interface SortedArtefacts {
  readonly registered: readonly string[];
  readonly duplicates: readonly string[];
  readonly invalid: readonly string[];
}

/** Sorts paths into new ones, ones the run already has, and invalid ones. */
export function sortArtefacts(run: StartedRun, paths: readonly string[]): SortedArtefacts {
  const known = new Set(run.artefacts);
  const sorted = { registered: [] as string[], duplicates: [] as string[], invalid: [] as string[] };
  for (const path of paths) {
    const plain = isRelativePath(path) ? simplify(path) : "";
    if (plain === "") sorted.invalid.push(path);
    else if (known.has(plain)) sorted.duplicates.push(plain);
    else sorted.registered.push(plain);
    known.add(plain);
  }
  return sorted;
}

export const registerArtefacts: CommandHandler<"register-artefacts"> = ({ run, at }, { paths }) => {
  const { registered } = sortArtefacts(run, paths);
  const draft = createEventDraft(run, at);
  if (registered.length > 0) draft.record({ type: "artefacts-registered", paths: [...registered] });
  return accept(draft);
};

export const setSummary: CommandHandler<"set-summary"> = ({ run, at }, { summary }) => {
  const draft = createEventDraft(run, at);
  const clean = cleanSummary(summary);
  if (clean !== null) draft.record({ type: "summary-set", summary: clean });
  return accept(draft);
};

/** The list is a file in the user's project; the run records where it is and the hash of what we wrote. */
export const updateTodo: CommandHandler<"update-todo"> = ({ run, at }, { file, hash, items, done }) => {
  const draft = createEventDraft(run, at);
  const isNew = run.todo?.file !== file || run.todo.hash !== hash;
  if (isNew) draft.record({ type: "todo-updated", file, hash, items, done });
  return accept(draft);
};

function simplify(path: string): string {
  return path
    .split(/[/\\]+/)
    .filter((part) => part !== "." && part !== "")
    .join("/");
}
