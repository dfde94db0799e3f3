import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openObjects } from "../../src/platform/git-objects.ts";
import { withoutCredentials } from "../../src/platform/git-plumbing.ts";

it("an object that is too long is not read, and stands in no other's way", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-objects-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const git = (args: readonly string[], input: string | Buffer = "") =>
    execFileSync("git", args, { cwd: folder, input, encoding: "utf8" }).trim();
  git(["init", "--quiet"]);
  const long = git(["hash-object", "-w", "--stdin"], Buffer.alloc(8 * 1024 * 1024));
  const short = git(["hash-object", "-w", "--stdin"], "of two\nlines");
  const objects = openObjects({ folder, env: process.env, signal: undefined });
  expect(await objects.read(long, 1_000)).toBe("too-long");
  expect((await objects.read(short, 1_000))?.toString()).toBe("of two\nlines");
  expect(await objects.read("0".repeat(40), 1_000)).toBeNull();
  expect(await objects.read(long, 8 * 1024 * 1024)).toHaveLength(8 * 1024 * 1024);
  expect(await objects.read(`${short}^{tree}`, 1_000)).toBeNull();
  objects.close();
});

it("no part of a password is left in an address that is shown", () => {
  expect(withoutCredentials("https://u:p@ss@host/x.git")).toBe("https://host/x.git");
  expect(withoutCredentials("from ssh://git@host/a to https://host/b@c")).toBe("from ssh://host/a to https://host/b@c");
});
