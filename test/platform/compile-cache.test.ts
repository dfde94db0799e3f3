import nodeModule from "node:module";
import { afterEach, beforeEach, expect, it } from "vitest";
import { enableCompileCache } from "../../src/platform/compile-cache.ts";

// Node 20 has no compile cache; in its place a function that records the folder.
const host = nodeModule as { enableCompileCache?: (folder: string) => unknown };
const { enableCompileCache: original } = host;
const { HOME, XDG_CACHE_HOME } = process.env;
let folders: string[] = [];

beforeEach(() => {
  folders = [];
  host.enableCompileCache = (folder) => folders.push(folder);
});

afterEach(() => {
  if (original === undefined) delete host.enableCompileCache;
  else host.enableCompileCache = original;
  restore("HOME", HOME);
  restore("XDG_CACHE_HOME", XDG_CACHE_HOME);
});

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

it.runIf(process.platform === "linux")("keeps compiled code in the user's home, wherever a project points", () => {
  process.env.HOME = "/home/someone";
  process.env.XDG_CACHE_HOME = "/project/brings/code";
  enableCompileCache();
  expect(folders).toEqual(["/home/someone/.cache/holdfast/code"]);
});

it.runIf(process.platform !== "win32").each([["."], ["home"], [""]])("keeps nothing when HOME is %j", (home) => {
  process.env.HOME = home;
  enableCompileCache();
  expect(folders).toEqual([]);
});

it("does nothing on a Node without a compile cache", () => {
  delete host.enableCompileCache;
  expect(() => enableCompileCache()).not.toThrow();
});
