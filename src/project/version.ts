import { readFileSync } from "node:fs";
import { join } from "node:path";

export function version(): string {
  const text = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8");
  return /"version": "([^"]+)"/.exec(text)?.[1] ?? "unknown";
}
