import { glob } from "tinyglobby";

/** The files of a project that a glob finds. */
export function matchFiles(root: string, pattern: string): Promise<string[]> {
  return glob(pattern, {
    cwd: root,
    dot: true,
    followSymbolicLinks: false,
    expandDirectories: false,
    ignore: ignoredFolders.filter((ignored) => !pattern.includes(ignored)).map((ignored) => `**/${ignored}/**`),
  });
}

/** A wide glob such as `**` would always match files in these folders, whatever the step did. */
const ignoredFolders = [".git", ".holdfast/runs", ".holdfast/sessions", "untracked/workflow-state", "node_modules"];
