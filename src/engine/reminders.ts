import { fillText } from "../model/placeholder.ts";
import type { StartedRun } from "../model/run.ts";
import type { Template } from "../model/template.ts";
import { ownEntry } from "./own-entry.ts";

/** The template's reminders with values of the run in them. Any other placeholder stays as it is written. */
export function remindersOf({ key_reminders: reminders = [] }: Template, run: StartedRun): readonly string[] {
  const values = { id: run.runId, summary: run.summary ?? "" };
  return reminders.map((reminder) =>
    fillText(reminder, (root, name) => {
      if (root === "project_root") return "{project_root}";
      const known = root === "vars" ? run.variables : root === "run" ? values : {};
      return String(ownEntry<string | number | boolean>(known, name) ?? `{${root}.${name}}`);
    }),
  );
}
