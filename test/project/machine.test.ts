import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { knownMachineName, machineName } from "../../src/project/machine.ts";
import { makeWorld } from "../app/world.ts";

/** The name that a die of this number would give. */
function named(number: number): () => string {
  return () => `m-${String(number).padStart(16, "0")}`;
}

it("of many first receipts at once, all have the same name of this machine", async () => {
  const { user } = makeWorld().script().deps;
  const dice = Array.from({ length: 20 }, (_, number) => named(number));
  const names = await Promise.all(dice.map((die) => machineName({ user, machineName: die })));
  expect(new Set(names)).toEqual(new Set([await knownMachineName(user)]));
  expect(readdirSync(user.configFolder)).toEqual(["machine"]);
});

it("a file that holds no name gets one", async () => {
  const { user } = makeWorld().script().deps;
  writeFileSync(join(user.configFolder, "machine"), "");
  expect(await machineName({ user, machineName: named(7) })).toBe("m-0000000000000007");
  expect(await knownMachineName(user)).toBe("m-0000000000000007");
});
