import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The named modules and all that they lead to: the relative path of a module that stands in quotes in one of them. */
export function filesBehind(roots: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>(roots);
  // A set is walked with what is added to it on the way.
  for (const file of found) {
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/["'`](\.{1,2}\/[^"'`\s]+\.(?:c?js|ts))["'`]/g)) {
      const target = join(dirname(file), declares(file) ? path.replace(/\.[jt]s$/, ".d.ts") : path);
      if (existsSync(target)) found.add(target);
    }
  }
  return found;
}

function declares(file: string): boolean {
  return file.endsWith(".d.ts");
}
