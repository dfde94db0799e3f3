import type { SharedLeases } from "../store.ts";
import type { Database } from "./database.ts";
import { storable } from "./projections.ts";
import type { Statement } from "./query.ts";

const selectLeases: Statement = {
  name: "holdfast_select_leases",
  text: "SELECT claim, at, runner, machine FROM holdfast.leases WHERE project = $1 AND run = $2",
};

/** It must not bring back anything of a run that was removed. */
const renewLease: Statement = {
  name: "holdfast_renew_lease",
  text: `
    INSERT INTO holdfast.leases (project, run, claim, at, runner, machine)
    SELECT project, run, $3::integer, $4, $5, $6 FROM holdfast.runs WHERE project = $1 AND run = $2
    ON CONFLICT (project, run, claim) DO UPDATE SET at = excluded.at, runner = excluded.runner, machine = excluded.machine`,
};

const deleteLeases: Statement = {
  name: "holdfast_delete_leases",
  text: `
    DELETE FROM holdfast.leases WHERE project = $1 AND run = $2 AND claim <= $3 AND claim <> ALL ($4::integer[])`,
};

/** Every statement can be repeated. */
export function createPostgresLeases(database: Database, project: string): SharedLeases {
  return {
    async read(run) {
      const { rows } = await database.ask(selectLeases, [project, run]);
      return new Map(
        rows.map(({ claim, at, runner, machine }) => [
          Number(claim),
          { at: String(at), runner: typeof runner === "string" ? runner : null, machine: String(machine) },
        ]),
      );
    },
    async renew(run, claim, { at, runner, machine }) {
      const texts = [storable(at), runner === null ? null : storable(runner), storable(machine)];
      await database.repeat(renewLease, [project, run, claim, ...texts]);
    },
    async endAllBut(run, held, known) {
      await database.repeat(deleteLeases, [project, run, known, [...held]]);
    },
  };
}
