import { isHoldfastError } from "../errors.ts";
import { replaceFile } from "../platform/files.ts";
import { readSettings } from "./read-settings.ts";
import { defaultSettings, type FoundSettings } from "./settings.ts";

/** Reads the settings from their YAML, and keeps what came of it under the stamp that the YAML has. */
export function compileSettings(stateRoot: string, cache: string, stamp: string): FoundSettings {
  const read = readSettings(stateRoot);
  const found: FoundSettings = read.ok
    ? { settings: read.settings, problem: null }
    : { settings: defaultSettings, problem: `.holdfast/config.yaml: ${read.problem}` };
  keep(cache, JSON.stringify({ format: 2, stamp, found }));
  return found;
}

/** It only saves time: where nothing can be written, it is made again. */
function keep(path: string, text: string): void {
  try {
    replaceFile(path, text, "quick");
  } catch (error) {
    if (!isHoldfastError(error, "file-unwritable")) throw error;
  }
}
