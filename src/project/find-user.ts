import { userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { hasCode } from "../platform/files.ts";

/** The user who runs this process, and the folder with their own settings. */
export interface User {
  readonly name: string;
  readonly configFolder: string;
  readonly home: string;
}

/**
 * The user according to the caller's environment. In a container the user may have no entry in the system's user database.
 * An empty or relative HOME is ignored: it would point into the project.
 */
export function findUser(env: Readonly<Record<string, string | undefined>>): User {
  const listed = ifListed(() => userInfo({ encoding: "utf8" }));
  const named = process.platform === "win32" ? env.USERPROFILE : env.HOME;
  const home = [named, listed?.homedir].find((path) => path !== undefined && isAbsolute(path)) ?? "/";
  const name = listed?.username || `user ${process.getuid?.() ?? ""}`.trim();
  return { name, home, configFolder: configFolder(home) };
}

function ifListed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, "ERR_SYSTEM_ERROR")) return undefined;
    throw error;
  }
}

/** Never taken from an environment variable, which a project could set. */
function configFolder(home: string): string {
  return process.platform === "win32"
    ? join(home, "AppData", "Roaming", "holdfast")
    : join(home, ".config", "holdfast");
}
