import { lstatSync } from "node:fs";
import { join, sep } from "node:path";
import { hasCode, readRegularFile, unreadable } from "../platform/files.ts";
import { refuseLinks, stateFolder } from "../platform/links.ts";
import { sizeLimits } from "../platform/size-limits.ts";
import { defaultSettings, type FoundSettings } from "./settings.ts";

/** The project's settings. They are cached as JSON, so that the YAML is parsed only when it has changed. */
export async function findSettings(stateRoot: string): Promise<FoundSettings> {
  return knownSettings(stateRoot) ?? compile(stateRoot);
}

/** The same without waiting; null if the file must be parsed first. */
export function knownSettings(stateRoot: string): FoundSettings | null {
  const file = fileIn(stateRoot);
  const stamp = settingsStamp(file);
  if (stamp === null) return byDefault;
  const key = `${stamp} ${file}`;
  if (last.key === key) return last.found;
  refuseLinks(stateRoot);
  const known = readCompiled(cacheIn(stateRoot));
  if (known?.stamp !== stamp) return null;
  last = { key, found: known.found };
  return known.found;
}

function fileIn(stateRoot: string): string {
  return [stateRoot, stateFolder, "config.yaml"].join(sep);
}

function cacheIn(stateRoot: string): string {
  return join(stateRoot, stateFolder, "cache", "config.json");
}

const byDefault: FoundSettings = { settings: defaultSettings, problem: null };
/** Cached because a server asks at every call. */
let last = { key: "", found: byDefault };

async function compile(stateRoot: string): Promise<FoundSettings> {
  const { compileSettings } = await import("./compile-settings.ts");
  const file = fileIn(stateRoot);
  const stamp = settingsStamp(file);
  if (stamp === null) return byDefault;
  const found = compileSettings(stateRoot, cacheIn(stateRoot), stamp);
  last = { key: `${stamp} ${file}`, found };
  return found;
}

/** Also of what is no file: reading it reports what it is. */
function settingsStamp(path: string): string | null {
  try {
    const there = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return there === undefined ? null : `${there.ctimeNs}:${there.size}:${there.ino}`;
  } catch (error) {
    if (hasCode(error, "ENOTDIR")) return null;
    throw unreadable(path, error);
  }
}

interface Compiled {
  readonly stamp: string;
  readonly found: FoundSettings;
}

function readCompiled(path: string): Compiled | null {
  try {
    const value = JSON.parse(readRegularFile(path, sizeLimits.cache).toString("utf8"));
    return value?.format === 5 && typeof value.found?.settings === "object" ? value : null;
  } catch (error) {
    // Whatever is wrong with the cache, the settings themselves are read instead.
    if (error instanceof SyntaxError || (error instanceof Error && "code" in error)) return null;
    throw error;
  }
}
