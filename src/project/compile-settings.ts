import { isHoldfastError } from "../errors.ts";
import { replaceFile } from "../platform/files.ts";
import { readSettings } from "./read-settings.ts";
import { defaultSettings, type FoundSettings, type Settings } from "./settings.ts";

/** Parses the settings file and caches the result under the file's stamp. */
export function compileSettings(stateRoot: string, cache: string, stamp: string): FoundSettings {
  const read = readSettings(stateRoot);
  const found: FoundSettings = read.ok
    ? { settings: read.settings, problem: null }
    : { settings: withoutFile(read.namesStore), problem: `.holdfast/config.yaml: ${read.problem}` };
  writeCache(cache, JSON.stringify({ format: 5, stamp, found }));
  return found;
}

/** The defaults, except that runs of a team must not go into files because of a typing error. */
function withoutFile(namesStore = false): Settings {
  return namesStore ? { ...defaultSettings, shared: "unclear" } : defaultSettings;
}

/** The cache only saves time: if it cannot be written, the settings are parsed again. */
function writeCache(path: string, text: string): void {
  try {
    replaceFile(path, text, "quick");
  } catch (error) {
    if (!isHoldfastError(error, "file-unwritable")) throw error;
  }
}
