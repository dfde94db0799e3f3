import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readTextIfThere, replaceFile } from "../../platform/files.ts";
import type { User } from "../operation.ts";

const fileName = "machine";

/** What tells this machine from others: a random name in the user's own folder that says nothing about either. */
export async function machineName(user: User): Promise<string> {
  const known = await knownMachineName(user);
  if (known !== null) return known;
  const name = `m-${randomBytes(8).toString("hex")}`;
  replaceFile(join(user.configFolder, fileName), `${name}\n`);
  return name;
}

/** Null where this machine has never received a run. */
export async function knownMachineName({ configFolder }: User): Promise<string | null> {
  const text = (await readTextIfThere(join(configFolder, fileName)))?.trim() ?? "";
  return /^m-[0-9a-f]{16}$/.test(text) ? text : null;
}
