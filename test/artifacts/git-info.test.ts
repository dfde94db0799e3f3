import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadArtifact } from "../../src/artifacts/load-artifact.ts";
import type { Artifact } from "../../src/model/artifact.ts";
import { git, makeProject, problemOf, textOf, worldOf } from "./project.ts";

const info: Artifact = { id: "git", type: "git_info" };

test("git tells branch, commit, status, recent commits and what is changed", async () => {
  const root = makeProject({ "a.md": "one\n" });
  git(root, "init", "--quiet", "--initial-branch=main");
  git(root, "add", ".");
  git(root, "-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--date=2026-01-31T12:00:00Z", "-m", "Begin");
  writeFileSync(join(root, "a.md"), "two\n");
  writeFileSync(join(root, "b.md"), "new\n");
  const commit = git(root, "rev-parse", "HEAD").trim();
  expect(textOf(await loadArtifact(info, worldOf(root)))).toBe(
    `branch: main
commit: ${commit}
status:
   M a.md
  ?? b.md
recent commits:
  ${commit.slice(0, 7)} 2026-01-31 Begin
changes since the commit:
   a.md | 2 +-
   1 file changed, 1 insertion(+), 1 deletion(-)`,
  );
});

test("a repository without a commit is told as one", async () => {
  const root = makeProject();
  git(root, "init", "--quiet", "--initial-branch=main");
  expect(textOf(await loadArtifact(info, worldOf(root)))).toBe(
    "branch: main\ncommit: none yet\nstatus: no changes\nrecent commits: unknown\nchanges since the commit: unknown",
  );
});

test("without a repository it is missing", async () => {
  expect(problemOf(await loadArtifact(info, worldOf(makeProject())))).toEqual([
    "missing",
    "there is no git repository here",
  ]);
});

test("nothing that the repository configures is run", async () => {
  const root = makeProject({
    "a.md": "one\n",
    "spy.sh": "#!/bin/sh\ntouch ran\n",
    ".gitattributes": "*.md diff=spy\n",
  });
  chmodSync(join(root, "spy.sh"), 0o755);
  git(root, "init", "--quiet");
  git(root, "add", ".");
  git(root, "commit", "--quiet", "-m", "Begin");
  writeFileSync(join(root, "a.md"), "two\n");
  for (const name of [
    "core.fsmonitor",
    "diff.external",
    "diff.spy.command",
    "diff.spy.textconv",
    "core.pager",
    "gpg.program",
  ]) {
    git(root, "config", name, join(root, "spy.sh"));
  }
  git(root, "config", "log.showSignature", "true");
  expect((await loadArtifact(info, worldOf(root))).status).toBe("loaded");
  expect(existsSync(join(root, "ran"))).toBe(false);
});
