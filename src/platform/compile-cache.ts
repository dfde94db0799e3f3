import nodeModule from "node:module";
import { isAbsolute, join } from "node:path";

/**
 * Lets Node keep compiled code between runs (Node 22.8 and later; older ones compile every time, see ADR 0014).
 * Cached code is code we run, so the folder is in the user's home. It never comes from a variable that a project could
 * set, such as XDG_CACHE_HOME.
 */
export function enableCompileCache(): void {
  // The types are those of Node 20, which does not have it.
  const { enableCompileCache: enable } = nodeModule as { enableCompileCache?: (folder: string) => unknown };
  const folder = cacheFolder();
  if (folder !== null) enable?.(folder);
}

function cacheFolder(): string | null {
  const { platform, env } = process;
  const home = platform === "win32" ? env.USERPROFILE : env.HOME;
  if (home === undefined || !isAbsolute(home)) return null;
  const caches = { win32: ["AppData", "Local"], darwin: ["Library", "Caches"] }[String(platform)] ?? [".cache"];
  return join(home, ...caches, "holdfast", "code");
}
