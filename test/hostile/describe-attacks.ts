import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostNames } from "../../src/hosts/contract/names.ts";
import { counted, seed, times } from "../dose.ts";
import { attack, type Extent } from "./attack.ts";
import type { Fixture } from "./fixture.ts";
import { type Cli, openCli } from "./processes.ts";

/** A change tries the hooks of one host in each repository, all in turn; the soak tries those of all. */
const hostsEach = times({ quick: 1, long: 1, soak: hostNames.length });

/** All calls are made in every second repository by the long tier, which begins with the first or the second. */
const strideOf = (calls: Extent["calls"]) => (calls === "few" ? 1 : times({ quick: 1, long: 2, soak: 1 }));

/** One test per repository: nothing is run, read or written that must not be, every call ends, and something says what is wrong. */
export function describeAttacks(title: string, fixtures: readonly Fixture[], calls: Extent["calls"] = "all"): void {
  const which =
    calls === "few" ? "some commands and hooks" : "every command, every hook and the first calls of the server";
  const row = `calls in ${fixtures.length} repositories: ${which}, ${title} ...`;
  const stride = strideOf(calls);
  describe(title, () => {
    let cli: Cli;
    beforeAll(async () => {
      cli = await openCli();
    });
    afterAll(() => cli.close());

    for (const [index, fixture] of fixtures.entries()) {
      if (index % stride !== seed % stride) continue;
      it(fixture.name, async () => {
        const turn = index % hostNames.length;
        const hosts = [...hostNames.slice(turn), ...hostNames.slice(0, turn)].slice(0, hostsEach);
        const { wrong, isTold, calls: made } = await attack(fixture, cli, { hosts, calls });
        counted(made, row);
        expect(wrong).toEqual([]);
        expect(isTold, `something says ${fixture.says}`).toBe(true);
      });
    }
  });
}
