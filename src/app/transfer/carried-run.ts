import type { GitObjects } from "../../platform/git-objects.ts";
import { askPlumbing, type Repository } from "../../platform/git-plumbing.ts";
import { plainJournal } from "../../store/journal-copy.ts";
import { type No, no } from "../operation.ts";
import type { Parcel } from "./check-copy.ts";
import type { Remote } from "./remote.ts";
import { headOf, type RunCopy } from "./run-copy.ts";

const journalName = "journal.jsonl";
const templateName = /^template-[0-9a-f]{1,64}\.json$/;

/** Who pushed a run is told by the remote, if anyone; a commit of ours says nothing about a person. */
const identity = { NAME: "Holdfast", EMAIL: "holdfast@localhost" };

/** A commit that holds the run's files and nothing else. */
export async function writeCarried(
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

/** What a commit holds under the name of a run, unchecked. Files of other names are none of ours. */
export async function readCarried(
  objects: GitObjects,
  { name }: Remote,
  runId: string,
  commit: string,
): Promise<Parcel | No> {
  const source = `the run ${runId} in ${name}`;
  const tree = await objects.read(`${commit}^{tree}`);
  const entries = tree === null ? new Map<string, string>() : entriesOf(tree, commit.length / 2);
  const journal = await readIfNamed(objects, entries.get(journalName));
  if (journal === null) return no({ code: "copy-damaged", source, line: null, problem: "it has no journal" });
  const templates = new Map<string, string>();
  for (const [file, id] of entries) {
    const text = await readIfNamed(objects, templateName.test(file) ? id : undefined);
    if (text !== null) templates.set(file, text.toString());
  }
  return { runId, source, journal, templates, linesBefore: 0 };
}

async function readIfNamed(objects: GitObjects, id: string | undefined): Promise<Buffer | null> {
  return id === undefined ? null : objects.read(id);
}

/** The plain files of a tree, by their names: `mode name`, a zero byte, and the id as bytes. */
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
