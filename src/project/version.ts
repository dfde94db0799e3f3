import { join } from "node:path";
import { readRegularFile } from "../platform/files.ts";
import { sizeLimits } from "../platform/size-limits.ts";

/** The folder of the package that this is part of. */
export const installation = join(import.meta.dirname, "../..");

export function version(): string {
  const text = readRegularFile(join(installation, "package.json"), sizeLimits.settings).toString("utf8");
  return /"version": "([^"]+)"/.exec(text)?.[1] ?? "unknown";
}
