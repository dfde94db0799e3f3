import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The folder of the package that this is part of. */
export const installation = join(import.meta.dirname, "../..");

export function version(): string {
  const text = readFileSync(join(installation, "package.json"), "utf8");
  return /"version": "([^"]+)"/.exec(text)?.[1] ?? "unknown";
}
