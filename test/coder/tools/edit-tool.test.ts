import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ToolScene } from "../../../src/coder/tools/tool.ts";
import { call, createScene, outsideOf, secret } from "./scene.ts";

const textOf = ({ root }: ToolScene, path: string) => readFileSync(join(root, path), "utf8");

describe("write", () => {
  it("creates a file with its folders, and replaces one", async () => {
    const scene = createScene();
    expect(await call(scene, "write", { path: "a/b/c.txt", content: "x\ny\n" })).toEqual({
      text: "created a/b/c.txt: 2 lines",
    });
    expect(await call(scene, "write", { path: "a/b/c.txt", content: "" })).toEqual({
      text: "replaced a/b/c.txt: 0 lines",
    });
    expect(textOf(scene, "a/b/c.txt")).toBe("");
    expect(readdirSync(join(scene.root, "a/b"))).toEqual(["c.txt"]);
  });

  it("keeps the mode of the file", async () => {
    const scene = createScene({ "run.sh": "a", private: "a" });
    chmodSync(join(scene.root, "run.sh"), 0o755);
    chmodSync(join(scene.root, "private"), 0o600);
    await call(scene, "write", { path: "run.sh", content: "b" });
    await call(scene, "edit", { path: "private", old: "a", new: "b" });
    expect(statSync(join(scene.root, "run.sh")).mode & 0o777).toBe(0o755);
    expect(statSync(join(scene.root, "private")).mode & 0o777).toBe(0o600);
  });

  it("is refused for a run that may only read", async () => {
    const scene = createScene({ a: "a" }, { level: "read" });
    for (const [tool, input] of [
      ["write", { path: "a", content: "b" }],
      ["edit", { path: "a", old: "a", new: "b" }],
    ] as const) {
      expect(await call(scene, tool, input)).toEqual({
        text: `${tool} is not available: this run may only read`,
        isError: true,
        denied: "--permissions edit",
      });
    }
    expect(textOf(scene, "a")).toBe("a");
  });
});

describe("writing stays in the worktree", () => {
  const refusals = [
    ["../outside/own.txt", "outside the worktree"],
    ["/etc/holdfast-test", "outside the worktree"],
    ["out/own.txt", "leads out"],
    ["out/new/file", "leads out"],
    ["own", "leads out"],
    ["dangling", "leads out"],
    ["dangling/new", "leads out"],
    [".env", "may hold secrets"],
    ["sub/credentials.yaml", "may hold secrets"],
    [".git/hooks/pre-commit", "belongs to git"],
    [".GIT/config", "belongs to git"],
    ["module/.git", "belongs to git"],
    [".holdfast/workflows/evil.yaml", "only the user changes them"],
    [".Holdfast/config.yaml", "only the user changes them"],
    ["folder", "is a folder"],
  ] as const;

  it.each(refusals)("%s", async (path, reason) => {
    const scene = createScene();
    const outside = outsideOf(scene);
    mkdirSync(join(scene.root, "folder"));
    symlinkSync(outside, join(scene.root, "out"));
    symlinkSync(join(outside, "own.txt"), join(scene.root, "own"));
    symlinkSync(join(outside, "new"), join(scene.root, "dangling"));
    const reply = await call(scene, "write", { path, content: "evil" });
    expect(reply).toMatchObject({ isError: true, text: expect.stringContaining(reason) });
    expect(await call(scene, "edit", { path, old: "S", new: "evil" })).toMatchObject({ isError: true });
    expect(readdirSync(outside)).toEqual(["own.txt"]);
    expect(readFileSync(join(outside, "own.txt"), "utf8")).toBe(`${secret}\n`);
    expect(readdirSync(scene.root).sort()).toEqual(["dangling", "folder", "out", "own"]);
  });

  it("and a link inside it is written through", async () => {
    const scene = createScene({ "real.txt": "a" });
    symlinkSync("real.txt", join(scene.root, "link.txt"));
    await call(scene, "write", { path: "link.txt", content: "b" });
    expect(textOf(scene, "real.txt")).toBe("b");
  });
});

describe("edit", () => {
  it("replaces a text that is there once, whatever signs it has", async () => {
    const scene = createScene({ "a.ts": "let a = $1;\nlet b = 2;\n" });
    expect(await call(scene, "edit", { path: "a.ts", old: "b = 2", new: "b = $& $1" })).toEqual({
      text: "edited a.ts, on line 2",
    });
    expect(textOf(scene, "a.ts")).toBe("let a = $1;\nlet b = $& $1;\n");
  });

  it("changes nothing if the text is there more than once, unless all are meant", async () => {
    const scene = createScene({ a: "x\ny\nx\nx" });
    expect(await call(scene, "edit", { path: "a", old: "x", new: "z" })).toEqual({
      text: "3 matches in a, on lines 1, 3, 4; add lines around it to old, or set all",
      isError: true,
    });
    expect(textOf(scene, "a")).toBe("x\ny\nx\nx");
    expect(await call(scene, "edit", { path: "a", old: "x", new: "z", all: true })).toEqual({
      text: "edited a, 3 times, first on line 1",
    });
    expect(textOf(scene, "a")).toBe("z\ny\nz\nz");
  });

  it("shows the nearest lines if the text is not there", async () => {
    const scene = createScene({ "a.ts": "import x;\n\nfunction go() {\n\treturn compute(1);\n}\n" });
    expect(
      await call(scene, "edit", { path: "a.ts", old: "function go() {\n  return compute(1);\n}", new: "" }),
    ).toEqual({
      text: "old is not in a.ts. The nearest lines are:\n3\tfunction go() {\n4\t\treturn compute(1);\n5\t}",
      isError: true,
    });
    expect((await call(scene, "edit", { path: "a.ts", old: "return computed(2);", new: "" })).text).toBe(
      "old is not in a.ts. The nearest lines are:\n4\t\treturn compute(1);",
    );
    expect((await call(scene, "edit", { path: "a.ts", old: "4711", new: "" })).text).toBe(
      "old is not in a.ts, nor anything like it",
    );
  });

  it("keeps the line ends of a file that has CRLF", async () => {
    const scene = createScene({ a: "one\r\ntwo\r\nthree\r\n" });
    await call(scene, "edit", { path: "a", old: "one\ntwo", new: "1\n2\n2b" });
    expect(textOf(scene, "a")).toBe("1\r\n2\r\n2b\r\nthree\r\n");
  });

  it("refuses what is no UTF-8 text, which it would damage", async () => {
    const scene = createScene();
    writeFileSync(join(scene.root, "latin1"), Buffer.from("caf\u00e9 x", "latin1"));
    expect(await call(scene, "edit", { path: "latin1", old: "x", new: "y" })).toEqual({
      text: "latin1 is not UTF-8 text",
      isError: true,
    });
  });
});
