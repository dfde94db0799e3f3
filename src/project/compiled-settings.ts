import { lstatSync } from "node:fs";
import { join, sep } from "node:path";
import { hasCode, readRegularFile } from "../platform/files.ts";
import { refuseLinks, stateFolder } from "../platform/links.ts";
import { sizeLimits } from "../platform/size-limits.ts";
import type { compileSettings } from "./compile-settings.ts";
import { defaultSettings, type FoundSettings } from "./settings.ts";

/** The project's settings. They are cached as JSON, so that the YAML is parsed only when it has changed. */
export async function findSettings(stateRoot: string): Promise<FoundSettings> {
  const file = [stateRoot, stateFolder, "config.yaml"].join(sep);
  const stamp = settingsStamp(file);
  if (stamp === null) return byDefault;
  const key = `${stamp} ${file}`;
  if (last.key === key) return last.found;
  refuseLinks(stateRoot);
  const cache = join(stateRoot, stateFolder, "cache", "config.json");
  const known = readCompiled(cache);
  const found = known?.stamp === stamp ? known.found : await compile(stateRoot, cache, stamp);
  last = { key, found };
  return found;
}

const byDefault: FoundSettings = { settings: defaultSettings, problem: null };
/** Cached because a server asks at every call. */
let last = { key: "", found: byDefault };

async function compile(...what: Parameters<typeof compileSettings>): Promise<FoundSettings> {
  return (await import("./compile-settings.ts")).compileSettings(...what);
}

/** Also of what is no file: reading it reports what it is. */
function settingsStamp(path: string): string | null {
  try {
    const there = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return there === undefined ? null : `${there.ctimeNs}:${there.size}:${there.ino}`;
  } catch (error) {
    if (hasCode(error, "ENOTDIR")) return null;
    throw error;
  }
}

interface Compiled {
  readonly stamp: string;
  readonly found: FoundSettings;
}

function readCompiled(path: string): Compiled | null {
  try {
    const value = JSON.parse(readRegularFile(path, sizeLimits.cache).toString("utf8"));
    return value?.format === 3 && typeof value.found?.settings === "object" ? value : null;
  } catch (error) {
    // Whatever is wrong with the cache, the settings themselves are read instead.
    if (error instanceof SyntaxError || (error instanceof Error && "code" in error)) return null;
    throw error;
  }
}
