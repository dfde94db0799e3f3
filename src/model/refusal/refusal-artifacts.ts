import { bare, quote } from "../quote.ts";
import type { Wording } from "./wording.ts";

/** The facts of refusals about artifacts. */
export interface ArtifactFacts {
  "artifact-unknown": { readonly artifacts: readonly string[]; readonly known: readonly string[] };
  "path-outside": { readonly name: string; readonly path: string };
  "artifact-missing": { readonly artifact: string; readonly path: string | null; readonly problem: string };
}

export const artifactRefusals: { readonly [C in keyof ArtifactFacts]: Wording<ArtifactFacts[C]> } = {
  "artifact-unknown": {
    when: "The workflow has no artifact with that name.",
    word: (d) => [
      `there is no artifact ${d.artifacts.map(quote).join(", ")}`,
      d.known.length === 0 ? "this workflow has no critical artifacts" : `use ${d.known.map(quote).join(", ")}`,
    ],
  },
  "path-outside": {
    when: "A named artifact has a path that is not inside the project.",
    word: (d) => [
      `the artifact ${quote(d.name)} is at ${bare(d.path)}, which is outside the project`,
      "name a file inside the project, or copy it there first",
    ],
  },
  "artifact-missing": {
    when: "A required artifact cannot be loaded, so the run cannot continue.",
    word: (d) => [
      `the required artifact ${quote(d.artifact)} cannot be loaded${d.path === null ? "" : ` from ${d.path}`}: ${d.problem}`,
      "provide it, or change it in the workflow and run `holdfast adopt`; then continue",
    ],
  },
};
