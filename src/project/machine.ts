import { linkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { flushFolder, hasCode, readTextIfExists, replaceFile, unwritable } from "../platform/files.ts";
import { sizeLimits } from "../platform/size-limits.ts";
import type { User } from "./find-user.ts";

const fileName = "machine";

interface Naming {
  readonly user: User;
  /** Returns a new unique name. */
  machineName(): string;
}

/** This machine's id: a random name in the user's config folder that reveals nothing about the machine or the user. */
export async function machineName({ user, machineName: invent }: Naming): Promise<string> {
  const known = await knownMachineName(user);
  if (known !== null) return known;
  const name = invent();
  const file = join(user.configFolder, fileName);
  const draft = join(user.configFolder, `.${fileName}-${name}`);
  replaceFile(draft, `${name}\n`);
  try {
    linkSync(draft, file);
    flushFolder(user.configFolder);
    return name;
  } catch (cause) {
    if (!hasCode(cause, "EEXIST")) throw unwritable(file, cause);
    // Another process was first, so its name is used; a file without a valid name is replaced.
    const theirs = await knownMachineName(user);
    if (theirs === null) replaceFile(file, `${name}\n`);
    return theirs ?? name;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Null if this machine has never received a run. */
export async function knownMachineName({ configFolder }: User): Promise<string | null> {
  const text = readTextIfExists(join(configFolder, fileName), sizeLimits.name)?.trim() ?? "";
  return /^m-[0-9a-f]{16}$/.test(text) ? text : null;
}
