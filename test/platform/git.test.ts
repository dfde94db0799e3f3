import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { gitInfo } from "../../src/artifacts/git-info.ts";
import { gitFacts } from "../../src/platform/git.ts";
import { makeWorld } from "../app/world.ts";

describe("what git knows of a folder", () => {
  it("is its commit, and whether anything was changed since", async () => {
    const { project, git, write } = makeWorld({ folder: "mein Projekt 日本" });
    const commit = git("rev-parse", "HEAD").trim();
    expect(await gitFacts(project)).toEqual({ commit, dirty: false });
    write("new.txt", "untracked");
    expect(await gitFacts(project)).toEqual({ commit, dirty: true });
  });

  it("is the worktree's own, in a linked one and in a sub-folder", async () => {
    const { project, git, write, commit, worktree } = makeWorld();
    const linked = worktree("feature-x");
    const old = git("rev-parse", "HEAD").trim();
    write("more.txt", "more");
    commit();
    mkdirSync(join(project, "src"));
    expect(await gitFacts(linked)).toEqual({ commit: old, dirty: false });
    expect(await gitFacts(join(project, "src"))).toEqual({ commit: git("rev-parse", "HEAD").trim(), dirty: false });
  });

  it("is nothing without a commit, and without git", async () => {
    const { project, git } = makeWorld({ git: false });
    expect(await gitFacts(project)).toBe(null);
    git("init", "--quiet");
    expect(await gitFacts(project)).toBe(null);
  });

  it("is not mistaken for what a git hook set in our environment", async () => {
    const { project, git } = makeWorld();
    const other = makeWorld();
    other.write("more.txt", "more");
    other.commit();
    vi.stubEnv("GIT_DIR", join(other.project, ".git"));
    vi.stubEnv("GIT_WORK_TREE", other.project);
    vi.stubEnv("GIT_INDEX_FILE", "/no/such/index");
    try {
      expect(await gitFacts(project)).toEqual({ commit: git("rev-parse", "HEAD").trim(), dirty: false });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("leaves out whether anything was changed when git cannot tell", async () => {
    const { project, git, write } = makeWorld();
    write(".git/index", "no index at all");
    expect(await gitFacts(project)).toEqual({ commit: git("rev-parse", "HEAD").trim(), dirty: null });
  });

  it("is looked up without the filters of the repository", async () => {
    const { project, git, write, commit } = makeWorld();
    write(".gitattributes", "*.txt filter=trap\n");
    write("a.txt", "before");
    commit();
    const trap = join(project, ".git", "sprung");
    for (const kind of ["clean", "process"]) git("config", `filter.trap.${kind}`, `touch '${trap}'; false`);
    git("config", "filter.trap.required", "true");
    write("a.txt", "behind");
    expect(await gitFacts(project)).toMatchObject({ dirty: true });
    expect(existsSync(trap)).toBe(false);
  });

  it("is looked up without running what the repository configures", async () => {
    const { project, git } = makeWorld();
    const trap = join(project, ".git", "sprung");
    git("config", "core.fsmonitor", `touch '${trap}'; false`);
    await gitFacts(project);
    expect(existsSync(trap)).toBe(false);
  });

  it("is looked up without fetching what a partial clone lacks", async () => {
    const { project, git, write, commit } = makeWorld();
    write("file.txt", "one\n".repeat(100));
    commit();
    const trap = join(project, ".git", "sprung");
    const [tree] = git("rev-parse", "HEAD^{tree}").split("\n");
    git("config", "core.repositoryFormatVersion", "1");
    git("config", "extensions.partialClone", "origin");
    git("config", "remote.origin.promisor", "true");
    git("config", "remote.origin.url", project);
    git("config", "remote.origin.uploadpack", `touch '${trap}'; false`);
    rmSync(join(project, ".git/objects", `${tree?.slice(0, 2)}`, `${tree?.slice(2)}`));
    expect(await gitFacts(project)).toMatchObject({ dirty: null });
    await gitInfo(project);
    expect(existsSync(trap)).toBe(false);
  });
});
