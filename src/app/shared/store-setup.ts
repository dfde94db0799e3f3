import * as z from "zod";
import { quote } from "../../model/quote.ts";
import { defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import { findSettings } from "../../project/compiled-settings.ts";
import { readAddress } from "../../store/postgres/address.ts";
import { migratePostgres } from "../../store/postgres/postgres-store.ts";
import { personOf, refuseAgent } from "../workflows/person.ts";
import { confirmProject, isConfirmed } from "./confirmed-projects.ts";
import { databaseUrl, findNamed, namedProject } from "./place.ts";

export interface InitializedStore {
  /** The database, without a user or a password. */
  readonly where: string;
  /** The versions of the tables: 0 if there were none. */
  readonly before: number;
  readonly version: number;
}

export const initStore = defineOperation({
  summary: "Create the tables of Holdfast in your database, or migrate them to this version.",
  input: z.strictObject({}),
  async run(deps): Promise<Outcome<InitializedStore>> {
    const agent = refuseAgent(deps, "changing the tables of a database");
    if (agent !== null) return agent;
    const url = await databaseUrl(deps);
    return yes({ where: readAddress(url).where, ...(await migratePostgres({ url, signal: deps.caller.signal })) });
  },
});

export interface ConfirmedProject {
  readonly project: string;
  /** Null if no database is named yet. */
  readonly where: string | null;
}

export const confirmStore = defineOperation({
  summary: "Confirm that the runs of this clone belong to the project that its settings name.",
  input: z.strictObject({ yes: z.boolean().optional().describe("Do not ask first.") }),
  async run(deps, { yes: sure }): Promise<Outcome<ConfirmedProject>> {
    const { shared } = (await findSettings(deps.roots.stateRoot)).settings;
    if (shared === null) return no({ code: "store-local", what: "there is nothing to confirm" });
    const project = await namedProject(deps, shared);
    const { where } = await findNamed(deps);
    if (isConfirmed(deps, project)) return yes({ project, where });
    const person = await personOf(deps, "confirming a shared project");
    if (!person.ok) return person;
    const { confirm } = deps.caller;
    const target = where === null ? "your database" : `the database at ${where}`;
    const question = `This repository wants to keep its runs in the project ${quote(project)} of ${target}. Everyone in that project can read and continue them. Confirm it?`;
    if (sure !== true && (await confirm?.(question)) !== true) {
      return no({ code: "confirmation-needed", what: `this keeps the runs of this clone in ${quote(project)}` });
    }
    confirmProject(deps, project, deps.now());
    return yes({ project, where });
  },
});
