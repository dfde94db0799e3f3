import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ToolScene } from "../../../src/coder/tools/tool.ts";
import { findProgram } from "../../../src/platform/find-program.ts";
import { call, createScene, outsideOf, putFile, secret } from "./scene.ts";

const path = process.env.PATH ?? "";
const hasRipgrep = findProgram("rg", "/", path) !== null;
/** Only git: ripgrep may be in the same folder. */
const withoutRipgrep = mkdtempSync(join(tmpdir(), "holdfast-path-"));
symlinkSync(findProgram("git", "/", path) ?? "git", join(withoutRipgrep, "git"));

const repository = (files: Readonly<Record<string, string>>, more: Partial<ToolScene> = {}) => {
  const scene = createScene(files, more);
  execFileSync("git", ["init", "-q"], { cwd: scene.root });
  return scene;
};

describe("list", () => {
  it("names what is in a folder, without what git ignores", async () => {
    const scene = repository({
      "src/a.ts": "",
      "src/deep/b.ts": "",
      "dist/out.js": "",
      "a.log": "",
      ".gitignore": "dist/\n*.log\n",
      "node_modules/x/index.js": "",
    });
    mkdirSync(join(scene.root, "empty"));
    expect(await call(scene, "list", {})).toEqual({ text: ".gitignore\nempty/\nsrc/" });
    expect(await call(scene, "list", { path: "src", depth: 2 })).toEqual({
      text: "src/a.ts\nsrc/deep/\nsrc/deep/b.ts",
    });
    expect(await call(scene, "list", { path: "dist" })).toEqual({ text: "dist/out.js" });
    expect(await call(scene, "list", { path: "node_modules/x" })).toEqual({ text: "node_modules/x/index.js" });
    expect((await call(scene, "list", { path: "empty" })).text).toContain("empty is empty");
  });

  it("works without git, and answers clearly for what is no folder", async () => {
    const scene = createScene({ "b/c": "", a: "", "node_modules/x": "" });
    expect(await call(scene, "list", { depth: 3 })).toEqual({ text: "a\nb/\nb/c" });
    expect(await call(scene, "list", { path: "a" })).toEqual({ text: "a is no folder; use read", isError: true });
    expect(await call(scene, "list", { path: "x" })).toEqual({ text: "there is no folder x", isError: true });
  });

  it("bounds its reply and says so", async () => {
    const scene = createScene();
    for (let index = 0; index < 1_200; index++) writeFileSync(join(scene.root, `f${index}`), "");
    const { text } = await call(scene, "list", {});
    expect(text.split("\n")).toHaveLength(1_001);
    expect(text).toMatch(/\[only the first 1000 are shown; /);
  });

  it("marks links and denied names, and enters neither", async () => {
    const scene = createScene(
      { ".env": secret, "credentials/a.ts": "", "Secrets/deep/b": secret },
      { deniedNames: ["secrets"] },
    );
    symlinkSync(outsideOf(scene), join(scene.root, "out"));
    expect(await call(scene, "list", { depth: 5 })).toEqual({
      text: ".env [denied]\nSecrets/ [denied]\ncredentials/\ncredentials/a.ts\nout [link]",
    });
    expect(await call(scene, "list", { path: "credentials" })).toEqual({ text: "credentials/a.ts" });
  });

  it("shows a name with a line break on one line", async () => {
    const scene = createScene({ "a\nb": "" });
    expect(await call(scene, "list", {})).toEqual({ text: '"a\\nb"' });
  });
});

describe("list and search stay in the worktree", () => {
  it.each(["../outside", "/etc", "~", "out", "out/deep", "dangling", ".git", "secrets", "secrets/deep"])(
    "%s",
    async (to) => {
      const scene = repository({ "secrets/deep/a": secret }, { deniedNames: ["secrets"] });
      symlinkSync(outsideOf(scene), join(scene.root, "out"));
      symlinkSync("/nowhere", join(scene.root, "dangling"));
      for (const [tool, input] of [
        ["list", { path: to }],
        ["search", { path: to, pattern: "SECRET" }],
      ] as const) {
        const reply = await call(scene, tool, input);
        expect(reply).toMatchObject({ isError: true });
        expect(reply.text).not.toMatch(/own\.txt|SECRET/);
      }
    },
  );

  it("also if the worktree brings its own git or ripgrep along", async () => {
    const scene = createScene({ a: "SECRET" });
    for (const name of ["git", "rg"]) {
      putFile(scene, `bin/${name}`, `#!/bin/sh\ntouch "${scene.root}/ran"\n`);
      chmodSync(join(scene.root, "bin", name), 0o755);
    }
    const poisoned = { ...scene, env: { ...scene.env, PATH: `${scene.root}/bin:bin:.:${path}` } };
    expect(await call(poisoned, "search", { pattern: "SECRET", path: "a" })).toEqual({ text: "a:1:SECRET" });
    expect((await call(poisoned, "list", {})).text).toBe("a\nbin/");
  });

  it("runs no program that the repository's configuration names", async () => {
    const scene = repository({ a: "text" });
    putFile(scene, "evil.sh", `#!/bin/sh\ntouch "${scene.root}/ran"\n`);
    chmodSync(join(scene.root, "evil.sh"), 0o755);
    execFileSync("git", ["config", "core.fsmonitor", join(scene.root, "evil.sh")], { cwd: scene.root });
    expect(await call(scene, "list", {})).toEqual({ text: "a\nevil.sh" });
  });
});

describe.each([
  ["ripgrep", hasRipgrep, path],
  ["its own walk", true, withoutRipgrep],
] as const)("search with %s", (_, isThere, PATH) => {
  const test = it.skipIf(!isThere);
  const scene = (files: Readonly<Record<string, string>> = {}, more: Partial<ToolScene> = {}) =>
    repository(files, { env: { PATH, HOME: process.env.HOME }, ...more });

  test("answers path, line and text, in the order of paths", async () => {
    const here = scene({
      "src/b.ts": "one\r\nfunction go() {}\r\n",
      "src/a.ts": "x\n\nfunction stop() {}\n",
      "README.md": "function",
    });
    expect(await call(here, "search", { pattern: "^func\\w+ (go|stop)\\(" })).toEqual({
      text: "src/a.ts:3:function stop() {}\nsrc/b.ts:2:function go() {}",
    });
    expect(await call(here, "search", { pattern: "go()", plain: true, path: "src/b.ts" })).toEqual({
      text: "src/b.ts:2:function go() {}",
    });
    expect(await call(here, "search", { pattern: "function", glob: "*.md" })).toEqual({
      text: "README.md:1:function",
    });
    expect(await call(here, "search", { pattern: "function", glob: "src/{a,c}.ts" })).toEqual({
      text: "src/a.ts:3:function stop() {}",
    });
    expect(await call(here, "search", { pattern: "nowhere-to-be-found" })).toEqual({ text: "[no match]" });
  });

  test("never shows what is denied, ignored, binary, or behind a link", async () => {
    const here = scene(
      {
        ...{ ".env": secret, "a/id_rsa": secret, "x.KEY": secret, "deep/Private/y": secret, "b.bin": `${secret}\0` },
        ...{ "dist/a.js": secret, ".gitignore": "dist\n", "seen.txt": "SECRET-free", ".git/info/x": secret },
      },
      { deniedNames: ["*.key", "private"] },
    );
    symlinkSync(outsideOf(here), join(here.root, "out"));
    symlinkSync(join(outsideOf(here), "own.txt"), join(here.root, "own"));
    symlinkSync(".env", join(here.root, "alias"));
    expect(await call(here, "search", { pattern: "SECRET" })).toEqual({ text: "seen.txt:1:SECRET-free" });
    for (const glob of [".env", "**/*", "{.env,own,out/**}", "*.key"])
      expect((await call(here, "search", { pattern: "SECRET-OF", glob })).text, glob).toBe("[no match]");
    for (const path of [".env", "alias", "own", "a/id_rsa"])
      expect(await call(here, "search", { pattern: "SECRET", path }), path).toMatchObject({ isError: true });
    expect((await call(here, "search", { pattern: "SECRET", path: "dist" })).text).toContain("dist/a.js:1:");
  });

  test("takes no option from the pattern, a name or a configuration file", async () => {
    const here = scene({ "--files": "x --files\n", "-e": "x -e\n", rc: "--invert-match\n" });
    const env = { ...here.env, RIPGREP_CONFIG_PATH: join(here.root, "rc") };
    expect(await call({ ...here, env }, "search", { pattern: "--files" })).toEqual({ text: "--files:1:x --files" });
    expect(await call(here, "search", { pattern: "x", path: "-e" })).toEqual({ text: "-e:1:x -e" });
  });

  test("bounds its reply, whatever is found", async () => {
    const here = scene({ many: "match\n".repeat(10_000), wide: `match${"y".repeat(100_000)}\n` });
    const { text } = await call(here, "search", { pattern: "match" });
    expect(text.split("\n")).toHaveLength(201);
    expect(text).toMatch(/\[only the first 200 matches are shown; /);
    expect((await call(here, "search", { pattern: "match", path: "wide" })).text.length).toBeLessThan(500);
  });

  test("leaves out large files and says so", async () => {
    const here = scene({ big: "match", small: "match" });
    truncateSync(join(here.root, "big"), 6_000_000);
    expect(await call(here, "search", { pattern: "match" })).toEqual({
      text: "small:1:match\n[not searched, over 5 MB: big]",
    });
  });

  test("explains a pattern that is wrong", async () => {
    const reply = await call(scene({ a: "a" }), "search", { pattern: "(open" });
    expect(reply).toMatchObject({ isError: true, text: expect.stringMatching(/^the pattern is not understood: \S+/) });
    expect(reply.text).not.toContain("\n");
  });

  test("searches thousands of files", async () => {
    const here = scene();
    for (let index = 0; index < 3_000; index++)
      putFile(here, `folder-with-a-name-${index % 30}/file-with-a-long-name-${index}.txt`, `text ${index}\n`);
    const { text } = await call(here, "search", { pattern: "text (1|2999)$" });
    expect(text.split("\n")).toHaveLength(2);
  });

  test("does not begin for a run that has ended", async () => {
    const here = scene({ a: "a" }, { signal: AbortSignal.abort() });
    expect(await call(here, "search", { pattern: "a" })).toEqual({ text: "cancelled", isError: true });
    expect(await call(here, "list", {})).toEqual({ text: "cancelled", isError: true });
  });
});

it("a search without ripgrep stops in the middle of a file", async () => {
  const cancel = new AbortController();
  const scene = createScene(
    { a: `${"a".repeat(2_000)}\n`.repeat(2_000) },
    { signal: cancel.signal, env: { PATH: withoutRipgrep } },
  );
  const reply = call(scene, "search", { pattern: `(${"a|".repeat(200)}aa)*b` });
  setTimeout(() => cancel.abort(), 50);
  expect(await reply).toEqual({ text: "cancelled", isError: true });
});
