import { mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  appendLine,
  beginsWith,
  createFile,
  foldersIn,
  makeFolders,
  namesInFolder,
  readInPlace,
  readPart,
  readRegularFile,
  replaceFile,
} from "../../src/platform/files.ts";
import { readInside, readNamed } from "../../src/platform/path-inside.ts";
import { createProject } from "../cli/program.ts";
import { canary, createOddThings } from "./odd-files.ts";

const most = 1024 * 1024;

function folderWith(...folders: readonly string[]): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-odd-")));
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
  return root;
}

function codeOf(read: () => unknown): string {
  try {
    read();
    return "read";
  } catch (error) {
    return String(Object(error).code);
  }
}

const isWindows = process.platform === "win32";

describe.skipIf(isWindows)("in the place of a file of a project", () => {
  const put = isWindows ? () => {} : createOddThings().put;
  const expected: Readonly<Record<string, readonly [string, string]>> = {
    "a link to an endless device": ["ELOOP", "EOUTSIDE"],
    "a pipe": ["ENXIO", "ENXIO"],
    "a link to a pipe elsewhere": ["ELOOP", "EOUTSIDE"],
    "a link to a file of the user": ["ELOOP", "EOUTSIDE"],
    "a link to a folder elsewhere": ["ELOOP", "EOUTSIDE"],
    "a folder": ["EISDIR", "EISDIR"],
    "three gigabytes": ["E2BIG", "E2BIG"],
  };

  it.each(Object.keys(expected))("%s is an error, at once and by every way to read", (name) => {
    const [unlinked, inside] = expected[name] ?? [];
    const root = folderWith(".holdfast/runs", "workflows");
    const [state, file] = [join(root, ".holdfast/runs/x.json"), join(root, "workflows/x.yaml")];
    for (const path of [state, file]) put(name, path);
    for (const path of [state, file]) {
      expect(codeOf(() => readInPlace(path, most))).toBe(unlinked);
      expect(codeOf(() => readInside(root, path, most, "none"))).toBe(unlinked);
    }
    expect(codeOf(() => readRegularFile(state, most))).toBe(unlinked);
    expect(codeOf(() => readInside(root, file, most, "inside"))).toBe(inside);
    expect(codeOf(() => readNamed(root, file, most))).toBe(inside);
    expect(beginsWith(file, canary)).toBe(false);
  });

  it("lint shows nothing of a file outside, behind a link or in a linked folder", async () => {
    const project = createProject();
    mkdirSync(join(project.root, "workflows"));
    put("a link to a file of the user", join(project.root, "workflows/x.yaml"));
    put("a link to a folder elsewhere", join(project.root, "shared"));
    for (const path of ["workflows/x.yaml", "shared/own.yaml"]) {
      const { code, stdout, stderr } = await project.holdfast(["lint", path]);
      expect([code, stderr.split("\n")[0]]).toEqual([
        3,
        `failed: cannot read ${path}: it leads out of the project (file-unreadable)`,
      ]);
      expect(stdout + stderr).not.toContain(canary);
    }
  });

  it("a text for an advance does not come through a link out of the project", async () => {
    const project = createProject();
    put("a link to a file of the user", join(project.root, "notes.md"));
    await project.holdfast(["start", "feature", "A request"]);
    const { code, stderr } = await project.holdfast(["advance", "--output-file", "notes.md"]);
    expect([code, stderr.split("\n")[0]]).toEqual([
      2,
      expect.stringContaining("notes.md is behind a link that leads out of the project"),
    ]);
    expect(project.journal()).not.toContain(canary);
  });
});

describe.skipIf(isWindows)("links inside a project", () => {
  it("lead to a file outside of the state folder only", () => {
    const root = folderWith(".holdfast/workflows", "shared");
    writeFileSync(join(root, "shared/real.yaml"), "name: x\n");
    symlinkSync("shared", join(root, "linked"));
    symlinkSync("../../shared/real.yaml", join(root, ".holdfast/workflows/x.yaml"));
    expect(readNamed(root, join(root, "linked/real.yaml"), most).toString()).toBe("name: x\n");
    expect(codeOf(() => readInside(root, join(root, "linked/real.yaml"), most, "none"))).toBe("ELOOP");
    expect(codeOf(() => readNamed(root, join(root, ".holdfast/workflows/x.yaml"), most))).toBe("ELOOP");
  });

  it.each([".holdfast", ".holdfast/runs", ".holdfast/runs/one"])(
    "take nothing in and let nothing out as %s",
    (part) => {
      const root = folderWith("elsewhere/runs/one", "elsewhere/one");
      writeFileSync(join(root, "elsewhere/runs/one/a.json"), "theirs");
      writeFileSync(join(root, "elsewhere/one/a.json"), "theirs");
      writeFileSync(join(root, "elsewhere/a.json"), "theirs");
      if (part !== ".holdfast") mkdirSync(join(root, part, ".."), { recursive: true });
      symlinkSync(join(root, "elsewhere"), join(root, part));
      const before = readdirSync(join(root, "elsewhere"), { recursive: true });
      const folder = join(root, ".holdfast/runs/one");
      const file = join(folder, "a.json");
      expect(codeOf(() => readRegularFile(file, most))).toBe("ELOOP");
      expect(codeOf(() => readPart(file, 10, 0))).toBe("ELOOP");
      expect(foldersIn(join(root, ".holdfast/runs/one"))).toEqual([]);
      expect(codeOf(() => namesInFolder(folder))).toBe("file-unreadable");
      expect(codeOf(() => replaceFile(file, "ours"))).toBe("file-unwritable");
      expect(codeOf(() => createFile(join(folder, "new"), "ours"))).toBe("file-unwritable");
      expect(codeOf(() => appendLine(file, "ours"))).toBe("file-unwritable");
      expect(codeOf(() => makeFolders(join(folder, "deep")))).toBe("ELOOP");
      expect(readdirSync(join(root, "elsewhere"), { recursive: true })).toEqual(before);
    },
  );
});
