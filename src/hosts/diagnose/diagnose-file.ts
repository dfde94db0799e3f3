import { type Finding, mend, well } from "../contract/finding.ts";
import type { HostFile } from "../contract/host.ts";

/** How a file compares to what init would write. */
export type FileState =
  | { readonly type: "absent" | "current" | "older" }
  | { readonly type: "foreign" | "broken"; readonly problem: string };

export function fileState(file: HostFile, text: string | null): FileState {
  const put = file.putIn(text);
  if (!put.ok) {
    const { line, column, problem } = put.problem;
    return { type: "broken", problem: `${file.path}, line ${line}, column ${column}: ${problem}` };
  }
  if (put.note !== undefined) return { type: "foreign", problem: put.note };
  if (text === null) return { type: "absent" };
  if (put.text === text) return { type: "current" };
  // Not with the text itself as the original, whose own entry would be kept.
  const without = file.takeOut(text, null);
  return { type: without.ok && without.text === text ? "absent" : "older" };
}

/** The state of a file as a finding. */
export function diagnoseFile(name: string, file: HostFile, state: FileState, again: string): Finding {
  switch (state.type) {
    case "current":
      return well(name, file.path);
    case "absent":
      return mend(name, `missing in ${file.path}`, again);
    case "older":
      return mend(name, `${file.path} has an older version`, again);
    case "foreign":
      return mend(name, state.problem, `rename that entry, then: ${again}`);
    case "broken":
      return mend(name, state.problem, `fix ${file.path} by hand`);
  }
}
