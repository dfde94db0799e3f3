import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { commonFolder, readGitEntry } from "../../platform/git-folder.ts";
import { execute } from "../../platform/processes.ts";
import type { ToolScene } from "./tool.ts";
import { trustedProgram } from "./trusted-program.ts";

/**
 * What to put before a command so that it can write only to the worktree, git's folder and its scratch folder; null where
 * bubblewrap is missing or does not work. Everything can still be read, and the network is there.
 */
export async function bubblewrap(scene: ToolScene): Promise<readonly string[] | null> {
  const program = trustedProgram(scene, "bwrap");
  if (program === null) return null;
  const prefix = [program, ...confine(scene)];
  // Whether it works depends on the folders as well: some file systems cannot be bound.
  const key = prefix.join("\0");
  const works = known.get(key) ?? probe(prefix, scene);
  known.set(key, works);
  return (await works) ? prefix : null;
}

const known = new Map<string, Promise<boolean>>();

/** Tells once for each scratch folder, which is once for each session, that there is no bubblewrap; else null. */
export function tellMissing({ scratch }: ToolScene): string | null {
  if (told.has(scratch)) return null;
  told.add(scratch);
  return "[bubblewrap is missing or does not work here: commands run without it and can write outside the worktree]";
}

const told = new Set<string>();

async function probe(prefix: readonly string[], { env }: ToolScene): Promise<boolean> {
  const argv = [...prefix, "true"];
  const ended = await execute({ argv, cwd: "/", env: { PATH: env.PATH }, timeoutMs: 10_000, tailBytes: 0 });
  return ended.type === "exited" && ended.exitCode === 0;
}

/** Root keeps the right to write files of others, which a worktree in a container often has. */
const rightsOfRoot = ["CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_CHOWN"];

function confine({ root, scratch }: ToolScene): readonly string[] {
  const rights = process.getuid?.() === 0 ? rightsOfRoot.flatMap((name) => ["--cap-add", name]) : [];
  return [
    ...["--die-with-parent", "--unshare-pid", "--cap-drop", "ALL", ...rights],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", join(scratch, "tmp"), "/tmp"],
    ...["--bind", scratch, scratch, "--bind", root, root, ...gitFolders(root), ...readOnly(join(root, ".holdfast"))],
    ...["--chdir", root, "--"],
  ];
}

/** Commits need git's folder. Its hooks and settings name programs that run outside later, so they stay as they are. */
function gitFolders(root: string): readonly string[] {
  const entry = readGitEntry(root, "EACCES");
  if (entry?.folder == null || !existsSync(entry.folder)) return [];
  const common = commonFolder(entry.folder, "EACCES");
  const folders = [...(common === null ? [] : [common]), entry.folder].filter((folder) => existsSync(folder));
  return [
    ...folders.flatMap((folder) => ["--bind", folder, folder]),
    ...folders.flatMap((folder) =>
      ["hooks", "config", "config.worktree"].flatMap((name) => readOnly(join(folder, name))),
    ),
    ...(entry.isLink ? readOnly(join(root, ".git")) : []),
  ];
}

function readOnly(path: string): readonly string[] {
  const there = lstatSync(path, { throwIfNoEntry: false });
  return there === undefined || there.isSymbolicLink() ? [] : ["--ro-bind", path, path];
}
