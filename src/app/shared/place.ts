import { join } from "node:path";
import { HoldfastError, isHoldfastError } from "../../errors.ts";
import { quote } from "../../model/quote.ts";
import type { Deps } from "../../operation/operation.ts";
import { findSettings } from "../../project/compiled-settings.ts";
import { databaseVariable, type SharedProject } from "../../project/settings.ts";
import { readAddress } from "../../store/postgres/address.ts";
import { readUserSettings } from "../workflows/user-settings.ts";
import { confirmedAt } from "./confirmed-projects.ts";

/** What decides where the runs of a project are. */
export type Here = Pick<Deps, "roots" | "user"> & { readonly caller: Pick<Deps["caller"], "env" | "signal"> };

/** A project in a database. The URL may have a password: it goes to the driver, and nowhere else. */
export interface DatabaseProject {
  readonly url: string;
  readonly project: string;
  /** When a person confirmed the project for this clone. */
  readonly confirmedAt: string;
}

/** The place of a project's runs, if the user has named a database and confirmed the project. Throws what to do if not. */
export async function placeOf(here: Here, shared: SharedProject): Promise<DatabaseProject> {
  const project = await namedProject(here, shared);
  const at = confirmedAt(here, project);
  if (at === null) throw new HoldfastError("store-unconfirmed", { project: quote(project) });
  return { url: await databaseUrl(here), project, confirmedAt: at };
}

/** What the project's own settings call it. */
export async function namedProject({ roots }: Here, shared: SharedProject): Promise<string> {
  if (shared !== "unclear") return shared.project;
  const { problem } = await findSettings(roots.stateRoot);
  throw new HoldfastError("settings-broken", { problem: problem ?? "cannot be read" });
}

/** The database that the user has named; no project can. */
export async function databaseUrl(here: Here): Promise<string> {
  const url = await findDatabaseUrl(here);
  if (url !== null) return url;
  throw new HoldfastError("store-unconfigured", { file: join(here.user.configFolder, "config.yaml") });
}

async function findDatabaseUrl({ caller: { env }, user }: Here): Promise<string | null> {
  const given = env[databaseVariable]?.trim() ?? "";
  return given === "" ? ((await readUserSettings(user))?.database ?? null) : given;
}

/** The database that the user has named, if there is one. */
export interface Named {
  readonly isNamed: boolean;
  /** As messages may name it. Null for a wrong address, which may have a password. */
  readonly where: string | null;
  /** What is wrong with the address. */
  readonly problem: HoldfastError | null;
}

export async function findNamed(here: Here): Promise<Named> {
  const url = await findDatabaseUrl(here);
  try {
    return { isNamed: url !== null, where: url === null ? null : readAddress(url).where, problem: null };
  } catch (error) {
    if (isHoldfastError(error)) return { isNamed: true, where: null, problem: error };
    throw error;
  }
}
