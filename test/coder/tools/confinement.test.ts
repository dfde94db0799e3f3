import { execFileSync } from "node:child_process";
import { symlinkSync, truncateSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call, createScene, outsideOf, putFile, secret } from "./scene.ts";

describe("reading stays in the worktree", () => {
  it("whatever the path says", async () => {
    const scene = createScene({ a: "a" });
    const outside = join(outsideOf(scene), "own.txt");
    for (const path of [
      ...["../outside/own.txt", "./../outside/own.txt", "a/../../outside/own.txt", outside, "/etc/passwd", "/", ".."],
      ...[
        "~/.ssh/config",
        `${scene.root}/../outside/own.txt`,
        `${scene.root}x/a`,
        "//etc/passwd",
        "/proc/self/environ",
      ],
    ]) {
      expect(await call(scene, "read", { path }), path).toEqual({
        text: `${path} is outside the worktree; use a path relative to it`,
        isError: true,
      });
    }
  });

  it("whatever links there are", async () => {
    const scene = createScene({ "folder/a": "a" });
    symlinkSync(outsideOf(scene), join(scene.root, "out"));
    symlinkSync("../../outside/own.txt", join(scene.root, "folder/own"));
    symlinkSync("out", join(scene.root, "again"));
    symlinkSync("/proc/self", join(scene.root, "self"));
    symlinkSync("loop", join(scene.root, "loop"));
    symlinkSync("/nowhere", join(scene.root, "dangling"));
    for (const path of [
      "out/own.txt",
      "folder/own",
      "again/own.txt",
      "self/environ",
      "loop",
      "loop/x",
      "dangling",
      "out/new",
    ]) {
      const reply = await call(scene, "read", { path });
      expect(reply, path).toMatchObject({ isError: true, text: expect.stringContaining("link") });
      expect(reply.text).not.toContain(secret);
    }
    symlinkSync("a", join(scene.root, "folder/inside"));
    expect(await call(scene, "read", { path: "folder/inside" })).toEqual({ text: "1\ta" });
  });

  it("and never waits for what is no file", async () => {
    const scene = createScene();
    execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', join(scene.root, "pipe")]);
    const server = createServer().listen(join(scene.root, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    for (const path of ["pipe", "socket"]) {
      expect(await call(scene, "read", { path })).toEqual({
        text: `${path} is a pipe, a socket or a device`,
        isError: true,
      });
    }
    server.close();
  });

  it("answers for 2 GB by their size, without reading them", async () => {
    const scene = createScene({ huge: "" });
    truncateSync(join(scene.root, "huge"), 2 * 1000 ** 3);
    const before = process.memoryUsage().arrayBuffers;
    const { text, isError } = await call(scene, "read", { path: "huge" });
    expect(isError).toBe(true);
    expect(text).toMatch(/^huge has 2\.0 GB, more than the 10\.0 MB that are read at once/);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
  });

  it("refuses names that no file can have", async () => {
    const scene = createScene();
    expect((await call(scene, "read", { path: "a\0b" })).text).toContain("control characters");
    expect((await call(scene, "read", { path: "x".repeat(5_000) })).text).toContain("longer than 1000");
    expect(await call(scene, "read", { path: "x".repeat(400) })).toMatchObject({ isError: true });
  });
});

describe("secrets are refused by their name", () => {
  it.each([
    ...[
      ".env",
      ".env.local",
      ".ENV",
      ".Env.Production",
      "config/.env",
      "server.pem",
      "KEY.PEM",
      "id_rsa",
      "id_ed25519",
    ],
    ...[".npmrc", ".netrc", "credentials", "credentials.json", "home/.aws/credentials", ".e\u200bnv", "．env"],
  ])("%j", async (path) => {
    const scene = createScene();
    putFile(scene, path, secret);
    const reply = await call(scene, "read", { path });
    expect(reply).toMatchObject({ isError: true, text: expect.stringContaining("may hold secrets") });
    expect(reply.text).not.toContain(secret);
  });

  it("also behind a link of another name", async () => {
    const scene = createScene({ ".env": secret });
    symlinkSync(".env", join(scene.root, "notes.txt"));
    expect((await call(scene, "read", { path: "notes.txt" })).text).toBe(
      ".env is denied: files named .env* may hold secrets; ask the user if you need it",
    );
  });

  it("and by the names that the user denies, with all that is in such a folder", async () => {
    const scene = createScene({}, { deniedNames: ["secrets", "*.key", "deploy/prod"] });
    for (const path of ["secrets/a", "a/Secrets/b", "x.key", "deploy/prod/a"]) {
      putFile(scene, path, secret);
      expect((await call(scene, "read", { path })).text, path).toContain("is denied");
    }
    for (const path of ["deploy/test/a", "credentials/service.ts", "environment.ts", "src/env.ts"]) {
      putFile(scene, path, "fine");
      expect(await call(scene, "read", { path }), path).toEqual({ text: "1\tfine" });
    }
  });

  it("and so is what belongs to git", async () => {
    const scene = createScene({ ".git/config": secret, "module/.GIT/config": secret });
    for (const path of [".git/config", "module/.GIT/config", ".git"])
      expect((await call(scene, "read", { path })).text).toContain("use git in the shell");
  });
});
