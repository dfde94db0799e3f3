import type { LoadedArtifact } from "./loaded.ts";
import { fenced, plainLine, plainText } from "./plain-text.ts";

/** The text about one artifact for a model; empty if the artifact was not triggered. */
export function artifactBlock(artifact: LoadedArtifact): string {
  switch (artifact.status) {
    case "loaded": {
      const { notes, shortened, text, type } = artifact;
      const all = shortened === null ? notes : [...notes, shortenedNotes[shortened.type](shortened.leftOutBytes)];
      const about = [...all.map((note) => `Note: ${plainLine(note)}.`), fenced(plainText(text), languages[type])];
      const whole = shortened?.type === "excerpt" ? ` ${whereToRead(artifact)}` : "";
      return block(artifact, `${sourceText(artifact)}.${whole}`, ...about);
    }
    case "pointer":
      return block(
        artifact,
        `${sourceText(artifact)}. Not shown: ${plainLine(artifact.reason)}. ${whereToRead(artifact)}`,
      );
    case "asked":
      return block(artifact, `Not loaded yet: run the command ${plainLine(artifact.command)} to load it.`);
    case "missing":
      return block(artifact, `Missing: ${plainLine(artifact.problem)}.${held(artifact)}`);
    case "unavailable":
      return block(artifact, `Not available yet: ${plainLine(artifact.problem)}.`);
    case "refused":
      return block(artifact, `Not loaded: ${plainLine(artifact.problem)}.${held(artifact)}`);
    case "skipped":
      return artifact.reason === "unchanged" ? block(artifact, "Unchanged since it was loaded above.") : "";
  }
}

function held({ required }: LoadedArtifact): string {
  return required ? " The visit cannot end without it." : "";
}

const languages: { readonly [T in LoadedArtifact["type"]]: string } = {
  json: "json",
  markdown: "markdown",
  text: "text",
  directory: "text",
  git_info: "text",
  skill: "text",
  work_plugin: "text",
};

const shortenedNotes = {
  head_tail: (bytes: number) => `only the beginning and the end are shown, ${bytes} bytes are left out`,
  summary: (bytes: number) => `only a summary is shown, of ${bytes} bytes`,
  tail: (bytes: number) => `only the end is shown, ${bytes} bytes are left out`,
  excerpt: () => "it does not fit here, so only its beginning, an outline and its end are shown",
};

function block({ id, description, required }: LoadedArtifact, ...lines: readonly string[]): string {
  const about = description === id ? "" : `: ${plainLine(description)}`;
  return [`### ${plainLine(id)}${about}${required ? " (required)" : ""}`, ...lines].join("\n");
}

/** Enough of a hash to tell two versions apart. */
const hashShown = "sha256:".length + 16;

function sourceText({ path, bytes, hash }: Extract<LoadedArtifact, { status: "loaded" | "pointer" }>): string {
  const size = `${bytes} bytes, ${hash.slice(0, hashShown)}`;
  return path === null ? size : `${plainLine(path)}, ${size}`;
}

function whereToRead({ path }: Extract<LoadedArtifact, { status: "loaded" | "pointer" }>): string {
  return path === null ? "Load it by itself when you need it." : "Read the file when you need it.";
}
