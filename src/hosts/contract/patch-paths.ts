/** The lines of the Codex patch format that name a file. */
const fileLine = /^\*\*\* (Add File|Update File|Move to): (.+)$/;

/** The files that a patch writes. A moved file has its new path; deleted files are left out. */
export function pathsInPatch(text: unknown): string[] {
  if (typeof text !== "string" || !text.includes("*** Begin Patch")) return [];
  const paths: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, kind, path] = fileLine.exec(line) ?? [];
    if (path === undefined) continue;
    if (kind === "Move to") paths.pop();
    paths.push(path.trim());
  }
  return paths.filter((path) => path !== "");
}
