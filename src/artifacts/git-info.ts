import { askGit } from "./ask-git.ts";
import { type Absence, type Content, contentOf } from "./loaded.ts";

const shownLines = 50;

/** The state of the git repository: branch, commit, status, recent commits and changes. */
export async function gitInfo(folder: string): Promise<Content | Absence> {
  if ((await askGit(folder, "top")) === null) {
    return { status: "missing", path: null, problem: "there is no git repository here" };
  }
  const [branch, commit, status, log, changes] = await Promise.all([
    askGit(folder, "branch"),
    askGit(folder, "commit"),
    askGit(folder, "status"),
    askGit(folder, "log"),
    askGit(folder, "changes"),
  ]);
  const text = [
    `branch: ${branch?.trim() ?? "none (detached)"}`,
    `commit: ${commit?.trim() ?? "none yet"}`,
    section("status", status, "no changes"),
    section("recent commits", log, "none"),
    section("changes since the commit", changes, "none"),
  ].join("\n");
  return contentOf(text);
}

function section(head: string, answer: string | null, empty: string): string {
  const lines = (answer ?? "").split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return `${head}: ${answer === null ? "unknown" : empty}`;
  const more = lines.length > shownLines ? [`  and ${lines.length - shownLines} more`] : [];
  return [`${head}:`, ...lines.slice(0, shownLines).map((line) => `  ${line}`), ...more].join("\n");
}
