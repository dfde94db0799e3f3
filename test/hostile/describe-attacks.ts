import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { counted } from "../dose.ts";
import { attack, type Extent } from "./attack.ts";
import type { Fixture } from "./fixture.ts";
import { type Cli, openCli } from "./processes.ts";

/** One test per repository: nothing is run, read or written that must not be, every call ends, and something says what is wrong. */
export function describeAttacks(title: string, fixtures: readonly Fixture[], extent: Extent): void {
  describe(title, () => {
    let cli: Cli;
    beforeAll(async () => {
      cli = await openCli();
    });
    afterAll(() => cli.close());

    for (const fixture of fixtures) {
      it(fixture.name, async () => {
        const { wrong, isTold, calls } = await attack(fixture, cli, extent);
        expect(wrong).toEqual([]);
        expect(isTold, `something says ${fixture.says}`).toBe(true);
        counted(calls);
      });
    }
  });
}
