import { existsSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { isHoldfastError } from "../../errors.ts";
import { hasCode, replaceFile } from "../../platform/files.ts";
import { stateFolder } from "../../platform/roots.ts";
import { defaultSettings, type Settings } from "./settings.ts";

/** The settings that hold, and what is wrong with the file where something is. */
export interface FoundSettings {
  readonly settings: Settings;
  readonly problem: string | null;
}

/** The project's settings. They are kept as JSON beside the YAML, so that YAML is read only when it has changed. */
export async function findSettings(stateRoot: string): Promise<FoundSettings> {
  const stamp = stampOf(`${stateRoot}${sep}${stateFolder}${sep}config.yaml`);
  if (stamp === null) return byDefault;
  const cache = join(stateRoot, stateFolder, "cache", "config.json");
  if (inMemory?.cache === cache && inMemory.stamp === stamp) return inMemory.found;
  const known = readCompiled(cache);
  if (known?.stamp === stamp) {
    inMemory = { ...known, cache };
    return known.found;
  }
  const { readSettings } = await import("../read-settings.ts");
  const read = readSettings(stateRoot);
  const found: FoundSettings = read.ok
    ? { settings: read.settings, problem: null }
    : { settings: defaultSettings, problem: `.holdfast/config.yaml: ${read.problem}` };
  keep(cache, JSON.stringify({ format: 2, stamp, found }));
  return found;
}

const byDefault: FoundSettings = { settings: defaultSettings, problem: null };
/** A server is asked for them at every call. */
let inMemory: (Compiled & { readonly cache: string }) | undefined;

function stampOf(path: string): string | null {
  const there = existsSync(path) ? statSync(path, { bigint: true }) : null;
  return there?.isFile() ? `${there.mtimeNs}:${there.size}:${there.ino}` : null;
}

interface Compiled {
  readonly stamp: string;
  readonly found: FoundSettings;
}

function readCompiled(path: string): Compiled | null {
  try {
    const value = JSON.parse(readFileSync(path, "utf8"));
    return value?.format === 2 && typeof value.found?.settings === "object" ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError || hasCode(error, "ENOENT", "ENOTDIR", "EISDIR", "EACCES")) return null;
    throw error;
  }
}

/** It only saves time: where nothing can be written, it is made again. */
function keep(path: string, text: string): void {
  try {
    replaceFile(path, text, "quick");
  } catch (error) {
    if (!isHoldfastError(error, "file-unwritable")) throw error;
  }
}
