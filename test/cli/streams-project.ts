import { createInterface } from "node:readline";
import { createProject, ended, type Project, twoSteps } from "./program.ts";

export function projectWithFlow(): Project {
  const project = createProject();
  project.write(".holdfast/workflows/flow.yaml", twoSteps);
  return project;
}

/** Follows a log line by line, while it goes on. */
export function followLog(project: Project, words: readonly string[] = []) {
  const child = project.begin(["log", "--follow", ...words]);
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  const waiting: { readonly count: number; resolve(): void }[] = [];
  reader.on("line", (line) => {
    lines.push(line);
    for (const { count, resolve } of waiting) if (lines.length >= count) resolve();
  });
  const end = ended(child);
  const atLeast = (count: number) =>
    new Promise<void>((resolve) => {
      if (lines.length >= count) resolve();
      else waiting.push({ count, resolve });
    });
  return { child, lines, end, atLeast };
}
