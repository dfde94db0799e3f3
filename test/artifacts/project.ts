import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { ArtifactContext } from "../../src/artifacts/artifact-context.ts";
import type { LoadedArtifact } from "../../src/artifacts/loaded.ts";
import { execute } from "../../src/platform/processes.ts";

/** A folder of its own for one test, with these files in it. */
export function makeProject(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-artifacts-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

export function worldOf(projectRoot: string, more: Partial<ArtifactContext> = {}): ArtifactContext {
  return {
    projectRoot,
    state: {},
    values: {},
    allowOutside: [],
    trusted: false,
    providers: {},
    run: (argv, { cwd, timeoutMs, maxBytes }) =>
      execute({ argv, cwd, env: { PATH: process.env.PATH }, timeoutMs, tailBytes: maxBytes }),
    ...more,
  };
}

/** Git as a person would use it, whatever is configured on this machine. */
export function git(folder: string, ...args: readonly string[]): string {
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgSign=false"];
  return execFileSync("git", [...who, ...args], { cwd: folder, encoding: "utf8" });
}

export function textOf(artifact: LoadedArtifact): string | null {
  return artifact.status === "loaded" ? artifact.text : null;
}

export function problemOf(artifact: LoadedArtifact): readonly [status: string, problem: string] {
  return [artifact.status, "problem" in artifact ? artifact.problem : ""];
}
