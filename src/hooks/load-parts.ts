import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import type { CodeCache } from "./code-cache.ts";

/** The files that the hook's program is bundled into. */
export interface Parts {
  /** As `require` would, but with code that V8 need not compile again. */
  load(name: string): unknown;
  /** Keeps the code for the next run, once this one has compiled what it needed. */
  keep(): void;
}

interface Part {
  readonly exports: unknown;
  readonly script: Script;
  /** The name of its code in the cache; null for code that is not kept. */
  readonly name: string | null;
  readonly kept: boolean;
}

/** What is longer is needed only after the settings have changed. */
const longestSource = 256 * 1024;

export function openParts(folder: string, cache: CodeCache | null): Parts {
  const parts = new Map<string, Part>();
  const load = (name: string): unknown => {
    // A part needs only Node and other parts.
    if (!name.startsWith("./")) return process.getBuiltinModule(name);
    const part = parts.get(name) ?? run(join(folder, name), cache, load);
    parts.set(name, part);
    return part.exports;
  };
  const keep = () => {
    // A part that was not needed before shows that this run went another way: the code of all parts has grown.
    if (![...parts.values()].some(({ name, kept }) => name !== null && !kept)) return;
    for (const { name, script } of parts.values()) if (name !== null) cache?.write(name, script.createCachedData());
  };
  return { load, keep };
}

function run(filename: string, cache: CodeCache | null, require: (name: string) => unknown): Part {
  const source = readFileSync(filename, "utf8");
  const name = cache === null || source.length > longestSource ? null : cache.nameOf(source);
  const cachedData = name === null ? undefined : cache?.read(name);
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, filename, dirname(filename));
  return {
    exports: module.exports,
    script,
    name,
    kept: cachedData !== undefined && script.cachedDataRejected === false,
  };
}
