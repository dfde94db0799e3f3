import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { operations } from "../../src/app/operations.ts";
import { createCheckedJournal } from "../../src/journal/checked-journal.ts";
import { type AppendFiles, appendFiles } from "../../src/platform/append-file.ts";
import { findRoots, worktreeTop } from "../../src/platform/roots.ts";
import { createFileStore } from "../../src/store/file-store.ts";
import { contentOf, makeWorld } from "../app/world.ts";

function folder(...parts: readonly string[]): string {
  const path = join(...parts);
  mkdirSync(path, { recursive: true });
  return path;
}

/** Whoever may write everywhere becomes nobody for a while; anyone else only loses the right to write here. */
async function readOnly(path: string, act: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0;
  chmodSync(dirname(path), 0o755);
  chmodSync(path, 0o555);
  if (isRoot) process.seteuid?.(65_534);
  try {
    await act();
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(path, 0o755);
  }
}

describe("in a plain repository", () => {
  it("the top is both roots, with and without state", () => {
    const { project } = makeWorld();
    const roots = { stateRoot: project, projectRoot: project, worktree: null };
    expect(findRoots(project)).toEqual(roots);
    folder(project, ".holdfast");
    expect(findRoots(project)).toEqual(roots);
  });

  it("a sub-folder leads to the top", () => {
    const { project } = makeWorld();
    const roots = { stateRoot: project, projectRoot: project, worktree: null };
    expect(findRoots(folder(project, "src/deep/down"))).toEqual(roots);
  });

  it("state above the repository is none of its own", () => {
    const { project } = makeWorld();
    folder(dirname(project), ".holdfast");
    expect(findRoots(project).stateRoot).toBe(project);
  });

  it("a path may have spaces and letters of any script", () => {
    const { project } = makeWorld({ folder: "mein Projekt Ω 日本 🚀" });
    const roots = { stateRoot: project, projectRoot: project, worktree: null };
    expect(findRoots(folder(project, "ein Ordner"))).toEqual(roots);
  });

  it("a link to it is the same place", () => {
    const { project, home } = makeWorld();
    folder(project, "src");
    symlinkSync(join(project, "src"), join(home, "shortcut"));
    expect(findRoots(join(home, "shortcut"))).toEqual({ stateRoot: project, projectRoot: project, worktree: null });
  });

  it("a nested package with state of its own keeps its runs there, and works in the whole project", () => {
    const { project } = makeWorld();
    folder(project, ".holdfast");
    const nested = folder(project, "packages/a");
    folder(nested, ".holdfast");
    const roots = { stateRoot: nested, projectRoot: project, worktree: null };
    expect(findRoots(folder(nested, "src"))).toEqual(roots);
    expect(findRoots(folder(project, "packages/b")).stateRoot).toBe(project);
  });

  it("a repository whose .git is kept elsewhere has its own top", () => {
    const { project, git, home } = makeWorld({ git: false });
    git("init", "--quiet", "--separate-git-dir", join(home, "kept.git"));
    expect(findRoots(folder(project, "src"))).toEqual({ stateRoot: project, projectRoot: project, worktree: null });
  });
});

describe("in a linked worktree", () => {
  it("the state is the main worktree's, and the work is its own", () => {
    const { project, worktree } = makeWorld();
    const linked = worktree("feature-x");
    const roots = { stateRoot: project, projectRoot: linked, worktree: "feature-x" };
    expect(findRoots(linked)).toEqual(roots);
    expect(findRoots(folder(linked, "src"))).toEqual(roots);
  });

  it("a committed .holdfast/ that it checked out is not a state of its own", () => {
    const world = makeWorld();
    world.workflow("own", "steps: [{ id: a, type: action, instructions: A }]");
    world.commit();
    const linked = world.worktree("feature-x");
    expect(existsSync(join(linked, ".holdfast/workflows/own.yaml"))).toBe(true);
    expect(findRoots(linked).stateRoot).toBe(world.project);
  });

  it("runs of its own make it a state root", () => {
    const { worktree } = makeWorld();
    const linked = worktree("feature-x");
    folder(linked, ".holdfast/runs");
    expect(findRoots(linked)).toEqual({ stateRoot: linked, projectRoot: linked, worktree: "feature-x" });
  });

  it("a nested package shares the state of the same package in the main worktree", () => {
    const world = makeWorld();
    world.write("packages/a/.holdfast/config.yaml", "");
    world.commit();
    const linked = world.worktree("feature-x");
    const roots = { stateRoot: join(world.project, "packages/a"), projectRoot: linked, worktree: "feature-x" };
    expect(findRoots(join(linked, "packages/a"))).toEqual(roots);
  });

  it("a nested package that the main worktree does not have keeps its own state", () => {
    const world = makeWorld();
    const linked = world.worktree("feature-x");
    const nested = folder(linked, "packages/new");
    folder(nested, ".holdfast");
    expect(findRoots(nested).stateRoot).toBe(nested);
  });
});

it("a path with a zero byte in git's files is named, and one in a .git that is a file leads nowhere", () => {
  const { project } = makeWorld();
  const below = folder(project, "below");
  writeFileSync(join(below, ".git"), "gitdir: ../.git\0/x\n");
  expect(findRoots(below)).toEqual({ stateRoot: below, projectRoot: below, worktree: null });
  const file = join(project, ".git/commondir");
  writeFileSync(file, "../elsewhere\0/.git\n");
  expect(() => findRoots(project)).toThrow(`cannot read ${file}: it names no path`);
});

describe("a submodule", () => {
  it("is a project of its own", () => {
    const outer = makeWorld();
    const inner = makeWorld();
    folder(outer.project, ".holdfast");
    outer.git("submodule", "--quiet", "add", inner.project, "libs/inner");
    const top = join(outer.project, "libs/inner");
    expect(findRoots(folder(top, "src"))).toEqual({ stateRoot: top, projectRoot: top, worktree: null });
    expect(findRoots(join(outer.project, "libs")).stateRoot).toBe(outer.project);
  });
});

describe("a bare repository with worktrees", () => {
  it("has no main worktree, so each keeps its own state", () => {
    const { project, git, home } = makeWorld();
    const bare = join(home, "repo.git");
    git("clone", "--quiet", "--bare", project, bare);
    const [one, two] = [join(home, "one"), join(home, "two")];
    git("--git-dir", bare, "worktree", "add", "--quiet", "--detach", one);
    git("--git-dir", bare, "worktree", "add", "--quiet", "--detach", two);
    expect(findRoots(one)).toEqual({ stateRoot: one, projectRoot: one, worktree: "one" });
    expect(findRoots(two)).toEqual({ stateRoot: two, projectRoot: two, worktree: "two" });
    expect(worktreeTop(one, "two")).toBe(two);
    expect(worktreeTop(one, null)).toBe(null);
  });

  it("that is the .git of a folder of worktrees lets them share that folder's state", () => {
    const { project, git, home } = makeWorld();
    const hub = folder(home, "hub");
    git("clone", "--quiet", "--bare", project, join(hub, ".git"));
    git("--git-dir", join(hub, ".git"), "worktree", "add", "--quiet", "--detach", join(hub, "one"));
    expect(findRoots(join(hub, "one"))).toEqual({ stateRoot: hub, projectRoot: join(hub, "one"), worktree: "one" });
  });
});

describe("without git", () => {
  it("the working directory is both roots", () => {
    const { project } = makeWorld({ git: false });
    const here = folder(project, "src");
    expect(findRoots(here)).toEqual({ stateRoot: here, projectRoot: here, worktree: null });
  });

  it("the nearest state above is found", () => {
    const { project } = makeWorld({ git: false, folder: "ohne git, 日本" });
    folder(project, ".holdfast");
    const roots = { stateRoot: project, projectRoot: project, worktree: null };
    expect(findRoots(project)).toEqual(roots);
    expect(findRoots(folder(project, "src/deep"))).toEqual(roots);
  });

  // Only root can give a folder to someone else.
  it.skipIf(process.getuid?.() !== 0)("state above that another user has put there does not count", () => {
    const { project } = makeWorld({ git: false });
    chownSync(folder(project, ".holdfast"), 65_534, 65_534);
    const here = folder(project, "src");
    expect(findRoots(here)).toEqual({ stateRoot: here, projectRoot: here, worktree: null });
  });

  it("a .git file that leads nowhere does no harm", () => {
    const { project, write } = makeWorld({ git: false });
    write(".git", "nothing that git would write\n");
    expect(findRoots(project).projectRoot).toBe(project);
    write(".git", "gitdir: /no/such/place\n");
    expect(findRoots(project)).toEqual({ stateRoot: project, projectRoot: project, worktree: null });
  });
});

describe("a worktree by its name", () => {
  it("is found from any other one", () => {
    const { project, worktree } = makeWorld();
    const linked = worktree("feature-x");
    const other = worktree("feature-y");
    expect(worktreeTop(project, "feature-x")).toBe(linked);
    expect(worktreeTop(other, "feature-x")).toBe(linked);
    expect(worktreeTop(linked, "feature-x")).toBe(linked);
    expect(worktreeTop(linked, null)).toBe(project);
    expect(worktreeTop(project, null)).toBe(project);
  });

  it("is found where git links it by a relative path", () => {
    const { project, worktree, write } = makeWorld();
    const linked = worktree("feature-x");
    write(".git/worktrees/feature-x/gitdir", "../../../../feature-x/.git\n");
    expect(worktreeTop(project, "feature-x")).toBe(linked);
  });

  it("is gone when it was removed, by git or by hand, also when another folder took its place", () => {
    const { project, worktree, git } = makeWorld();
    const linked = worktree("feature-x");
    rmSync(linked, { recursive: true });
    expect(worktreeTop(project, "feature-x")).toBe(null);
    folder(linked);
    expect(worktreeTop(project, "feature-x")).toBe(null);
    git("worktree", "prune");
    expect(worktreeTop(project, "feature-x")).toBe(null);
  });

  it("cannot be a way out of the repository", () => {
    const { project } = makeWorld();
    for (const name of ["..", "../../..", "/etc", ""]) expect(worktreeTop(project, name)).toBe(null);
  });

  it("without git is only the one there is", () => {
    const { project } = makeWorld({ git: false });
    expect(worktreeTop(project, null)).toBe(project);
    expect(worktreeTop(project, "feature-x")).toBe(null);
  });
});

describe("where no state can be kept", () => {
  const steps = "steps: [{ id: a, type: action, instructions: A }]";

  it("a start fails with the file and the reason, and leaves nothing", async () => {
    const world = makeWorld();
    world.workflow("own", steps);
    world.write(".holdfast/runs", "a file where the folder belongs");
    const before = contentOf(world.project);
    await expect(world.agent().ok("start", { workflow: "own" })).rejects.toMatchObject({
      code: "file-unreadable",
      message: expect.stringContaining(".holdfast/runs: a part of its path is a file, not a folder"),
    });
    expect(contentOf(world.project)).toEqual(before);
  });

  it("because the project is read-only, a start says so and leaves nothing", async () => {
    const world = makeWorld({ folder: "nur lesbar 日本" });
    // Another user may not be allowed to read this repository, so nothing of it may be left to load.
    const builtInFolder = join(world.home, "workflows");
    cpSync("workflows", builtInFolder, { recursive: true });
    await makeWorld().agent().ok("start", { workflow: "feature" });
    const deps = { ...world.agent().deps, builtInFolder };
    const before = contentOf(world.project);
    await readOnly(world.project, () =>
      expect(operations.start.run(deps, { workflow: "feature" })).rejects.toMatchObject({
        code: "file-unwritable",
        message: expect.stringContaining("access is denied; nothing was changed"),
      }),
    );
    expect(contentOf(world.project)).toEqual(before);
  });

  it("because the disk is full, a start says so and what was begun is cleared away", async () => {
    const world = makeWorld();
    const { deps } = world.agent();
    const open: AppendFiles["open"] = (path, how) => {
      if (!how.create) return appendFiles.open(path, how);
      throw Object.assign(new Error("full"), { code: "ENOSPC", syscall: "open" });
    };
    const store = createFileStore(world.path(".holdfast/runs"), { ...appendFiles, open });
    const full = { ...deps, store, journal: createCheckedJournal(store, deps.files) };
    await expect(operations.start.run(full, { workflow: "feature" })).rejects.toMatchObject({
      code: "file-unwritable",
      message: expect.stringContaining("the disk is full"),
    });
    expect(readdirSync(world.path(".holdfast/runs"))).toEqual([]);
    await world.agent().ok("start", { workflow: "feature" });
  });

  it("because .holdfast is a file, a start says so and leaves it alone", async () => {
    const world = makeWorld();
    world.write(".holdfast", "mine");
    expect(findRoots(world.project).stateRoot).toBe(world.project);
    await expect(world.agent().ok("start", { workflow: "feature" })).rejects.toMatchObject({
      code: "file-unreadable",
      message: expect.stringContaining("a part of its path is a file, not a folder"),
    });
    expect(world.read(".holdfast")).toBe("mine");
  });

  it("because .holdfast is a link out of the project, nothing is read or written behind it", async () => {
    const world = makeWorld();
    const { runId } = await world.agent().ok("start", { workflow: "feature" });
    renameSync(join(world.project, ".holdfast"), join(world.home, "elsewhere"));
    symlinkSync(join(world.home, "elsewhere"), join(world.project, ".holdfast"));
    const before = contentOf(join(world.home, "elsewhere"));
    const broken = { code: "state-broken", message: expect.stringContaining("it is a symbolic link") };
    await expect(world.agent().ok("start", { workflow: "bugfix" })).rejects.toMatchObject(broken);
    await expect(world.agent().ok("advance", { run: runId })).rejects.toMatchObject(broken);
    await expect(world.person().ok("rm", { run: runId, yes: true })).rejects.toMatchObject(broken);
    expect(contentOf(join(world.home, "elsewhere"))).toEqual(before);
  });

  it("because .holdfast/runs is a link, nothing is written behind it either", async () => {
    const world = makeWorld();
    folder(world.project, ".holdfast");
    symlinkSync(world.home, join(world.project, ".holdfast/runs"));
    const before = contentOf(world.home);
    await expect(world.agent().ok("start", { workflow: "feature" })).rejects.toMatchObject({ code: "state-broken" });
    expect(contentOf(world.home)).toEqual(before);
  });
});

describe("a fresh start", () => {
  it("makes a state folder that git does not see", async () => {
    const world = makeWorld();
    await world.agent().ok("start", { workflow: "feature" });
    expect(world.git("status", "--porcelain")).toBe("");
    expect(world.read(".holdfast/.gitignore")).toBe(
      "/runs/\n/sessions/\n/cache/\n/installed/\n/hooks.log\n/.gitignore\n",
    );
  });

  it("keeps an ignore file that is there", async () => {
    const world = makeWorld();
    writeFileSync(world.path(".holdfast/.gitignore"), "/runs/\n/mine/\n");
    await world.agent().ok("start", { workflow: "feature" });
    expect(world.read(".holdfast/.gitignore")).toBe("/runs/\n/mine/\n");
  });
});
