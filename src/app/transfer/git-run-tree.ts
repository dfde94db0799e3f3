import { type No, no } from "../../operation/operation.ts";
import type { GitObjects } from "../../platform/git-objects.ts";
import { askPlumbing, callGit, type Repository } from "../../platform/git-plumbing.ts";
import { plainJournal } from "../../store/journal-copy.ts";
import type { ReceivedFiles } from "./check-copy.ts";
import type { Remote } from "./remote.ts";
import { headOf, type RunCopy } from "./run-copy.ts";

const journalName = "journal.jsonl";

/** Our commits carry no personal identity; the remote may record who pushed. */
const identity = { NAME: "Holdfast", EMAIL: "holdfast@localhost" };

/** Writes a commit with the run's files and nothing else. */
export async function writeRunTree(
  repository: Repository,
  copy: RunCopy,
  { parent, at }: { readonly parent: string | null; readonly at: string },
): Promise<string> {
  const files = [[journalName, plainJournal(copy.commits)] as const, ...copy.templates];
  const entries: string[] = [];
  for (const [name, content] of files) {
    const id = await askPlumbing(repository, ["hash-object", "-w", "--stdin"], { input: content });
    entries.push(`100644 blob ${id}\t${name}\n`);
  }
  const tree = await askPlumbing(repository, ["mktree"], { input: entries.join("") });
  const message = `${copy.run.runId}, version ${headOf(copy).version}`;
  const env = Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((role) => [
      ...Object.entries(identity).map(([field, value]) => [`GIT_${role}_${field}`, value]),
      [`GIT_${role}_DATE`, at],
    ]),
  );
  const parents = parent === null ? [] : ["-p", parent];
  return askPlumbing(repository, ["commit-tree", tree, ...parents, "-m", message], { env });
}

/** The commit that an object such as a tag points to; null if there is none. */
export async function commitOf(repository: Repository, id: string): Promise<string | null> {
  const { code, out } = await callGit(repository, ["rev-parse", "--verify", "--quiet", `${id}^{commit}`]);
  return code === 0 ? out.toString().trim() : null;
}

/** Reads a run's files from a commit without checking them. Other files are ignored. */
export async function readRunTree(
  objects: GitObjects,
  { name }: Remote,
  runId: string,
  commit: string,
): Promise<ReceivedFiles | No> {
  const source = `the run ${runId} in ${name}`;
  const damaged = (problem: string) => no({ code: "copy-damaged", source, line: null, problem });
  const tree = await objects.read(`${commit}^{tree}`, longest.tree);
  if (tree === "too-long") return damaged("it has too many files");
  const entries = tree === null ? new Map<string, string>() : entriesOf(tree, commit.length / 2);
  const journal = await readIfNamed(objects, entries.get(journalName), longest.journal);
  if (journal === "too-long") return damaged("its journal is too large");
  if (journal === null) return damaged("it has no journal");
  return {
    runId,
    source,
    journal,
    linesBefore: 0,
    async readTemplate(file) {
      const text = await readIfNamed(objects, entries.get(file), longest.template);
      // A file of that size is not a template; an empty text fails the template check as well.
      return text === "too-long" ? "" : (text?.toString() ?? null);
    },
  };
}

/** Size limits, in bytes, so that a hostile remote cannot exhaust the memory. */
const longest = { tree: 1024 * 1024, journal: 256 * 1024 * 1024, template: 16 * 1024 * 1024 };

async function readIfNamed(objects: GitObjects, id: string | undefined, most: number) {
  return id === undefined ? null : objects.read(id, most);
}

/** The regular files of a tree by name. An entry is `mode name`, a NUL byte, and the id as bytes. */
function entriesOf(tree: Buffer, idLength: number): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  for (let at = 0; at < tree.length; ) {
    const end = tree.indexOf(0, at);
    if (end === -1) break;
    const [mode, name = ""] = tree.toString("utf8", at, end).split(/ (.*)/s);
    at = end + 1 + idLength;
    if (mode === "100644") entries.set(name, tree.toString("hex", end + 1, at));
  }
  return entries;
}
