import { createHash } from "node:crypto";
import { renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadArtifact } from "../../src/artifacts/load-artifact.ts";
import type { Artifact } from "../../src/model/artifact.ts";
import { git, makeProject, problemOf, textOf, worldOf } from "./project.ts";

const docs: Artifact = { id: "docs", type: "directory", path: "docs" };

test("a folder is listed without what git ignores, what is binary, and what is a link", async () => {
  const root = makeProject({
    ".gitignore": "*.log\n",
    "docs/b.md": "bb",
    "docs/deep/a.md": "a",
    "docs/image.png": Buffer.from([0x89, 0, 1]),
    "docs/noise.log": "noise",
    "docs/gone.md": "gone",
    "other.md": "other",
  });
  git(root, "init", "--quiet");
  git(root, "add", ".");
  git(root, "rm", "--quiet", "--force", "docs/gone.md");
  symlinkSync("../other.md", join(root, "docs/link.md"));
  expect(await loadArtifact(docs, worldOf(root))).toMatchObject({
    status: "loaded",
    text: "b.md  2 bytes\ndeep/a.md  1 bytes",
    path: "docs",
    notes: [],
  });
});

test("a folder outside of git is listed, and says that nothing was ignored", async () => {
  const root = makeProject({ "docs/b.md": "bb", "docs/.git/config": "x", "docs/deep/a.md": "a" });
  expect(await loadArtifact(docs, worldOf(root))).toMatchObject({
    text: "b.md  2 bytes\ndeep/a.md  1 bytes",
    notes: ["it is not in a git repository, so no files are ignored"],
  });
});

test("a tracked folder that has become a link out of the project shows nothing of it", async () => {
  const elsewhere = makeProject({ "a.md": "secret" });
  const root = makeProject({ "docs/sub/a.md": "a", "docs/b.md": "b" });
  git(root, "init", "--quiet");
  git(root, "add", ".");
  renameSync(join(root, "docs/sub"), join(root, "moved"));
  symlinkSync(elsewhere, join(root, "docs/sub"));
  expect(textOf(await loadArtifact({ ...docs, latest: 5 }, worldOf(root)))).toBe("=== b.md (1 bytes)\nb");
  expect(textOf(await loadArtifact(docs, worldOf(root)))).toBe("b.md  1 bytes");
});

test("a bare repository that was committed as plain files cannot name files outside", async () => {
  const root = makeProject({ "secret.txt": "secret", "project/docs/b.md": "b" });
  const project = join(root, "project");
  const folder = join(project, "docs");
  git(project, "init", "--quiet");
  git(folder, "init", "--quiet", "--bare", ".");
  git(folder, "config", "core.bare", "false");
  git(folder, "config", "core.worktree", "..");
  writeFileSync(join(folder, "index"), indexOf("docs/../../secret.txt"));
  expect(git(folder, "ls-files")).toContain("../../secret.txt");
  const text = textOf(await loadArtifact({ ...docs, latest: 30 }, worldOf(project)));
  expect(text).toContain("=== b.md (1 bytes)\nb");
  expect(text).not.toContain("secret");
});

/** A git index with one path, which git itself would not add. */
function indexOf(path: string): Buffer {
  const entry = Buffer.alloc((62 + path.length + 8) & ~7);
  entry.writeUInt32BE(0o100644, 24);
  entry.fill(1, 40, 60);
  entry.writeUInt16BE(path.length, 60);
  entry.write(path, 62);
  const bytes = Buffer.concat([Buffer.from("DIRC\0\0\0\x02\0\0\0\x01"), entry]);
  return Buffer.concat([bytes, createHash("sha1").update(bytes).digest()]);
}

test("a summary counts the files by their kind", async () => {
  const root = makeProject({
    "docs/a.md": "a",
    "docs/b.md": "bb",
    "docs/c.png": Buffer.from([0]),
    "docs/LICENSE": "mit",
  });
  expect(await loadArtifact({ ...docs, load: "summary" }, worldOf(root))).toMatchObject({
    text: "all: 4 files, 7 bytes\n.md: 2 files, 3 bytes\nno extension: 1 files, 3 bytes\n.png: 1 files, 1 bytes",
    shortened: { type: "summary", leftOutBytes: 7 },
  });
});

test("the newest files are shown whole, as many as asked for", async () => {
  const root = makeProject({
    "docs/old.md": "old",
    "docs/new.md": "new\n",
    "docs/newer.png": Buffer.from([0]),
    "docs/mid.md": "m",
  });
  for (const [n, name] of ["old.md", "mid.md", "new.md", "newer.png"].entries()) {
    utimesSync(join(root, "docs", name), 1_000 + n, 1_000 + n);
  }
  expect(textOf(await loadArtifact({ ...docs, latest: 2 }, worldOf(root)))).toBe(
    "=== new.md (4 bytes)\nnew\n\n=== mid.md (1 bytes)\nm",
  );
});

test("a new file that does not fit is named and not cut", async () => {
  const root = makeProject({ "docs/a.md": "a".repeat(100), "docs/b.md": "b" });
  utimesSync(join(root, "docs/a.md"), 2_000, 2_000);
  utimesSync(join(root, "docs/b.md"), 1_000, 1_000);
  expect(textOf(await loadArtifact({ ...docs, latest: 2, max_bytes: 90 }, worldOf(root)))).toBe(
    "=== a.md (100 bytes): not shown, because it does not fit\n=== b.md (1 bytes)\nb",
  );
});

test("of more than a thousand files the rest is counted", async () => {
  const files = Array.from({ length: 1_003 }, (_, n) => [`docs/${String(n).padStart(4, "0")}.md`, "x"]);
  const root = makeProject(Object.fromEntries(files));
  const lines = textOf(await loadArtifact(docs, worldOf(root)))?.split("\n") ?? [];
  expect([lines.length, lines[0], lines[999], lines[1_000]]).toEqual([
    1_001,
    "0000.md  1 bytes",
    "0999.md  1 bytes",
    "and 3 more files",
  ]);
});

test("an empty folder, one that is ignored, a file and nothing are told apart", async () => {
  const root = makeProject({ ".gitignore": "logs\n", "logs/a.log": "a", "file.md": "x" });
  git(root, "init", "--quiet");
  const at = (path: string) => loadArtifact({ ...docs, path }, worldOf(root));
  expect(await at("logs")).toMatchObject({ text: "", notes: ["it has no files that git does not ignore"] });
  expect(problemOf(await at("file.md"))).toEqual(["refused", "file.md is not a folder"]);
  expect(problemOf(await at("nothing"))).toEqual(["missing", "there is no nothing"]);
});
