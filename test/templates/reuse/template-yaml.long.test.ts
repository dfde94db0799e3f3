import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../../any-character.ts";
import { cases } from "../../dose.ts";
import { reloaded } from "./reloaded.ts";

test("any text survives", () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom(..." \n\t\r:#-'\"{}[]|>&*!%@`,?\\<".split("")), anyCharacter),
  });
  fc.assert(
    fc.property(text, fc.double({ noNaN: true, noDefaultInfinity: true }), (value, number) => {
      const steps = [{ id: "a", type: "action", instructions: `x${value}` }];
      const template = { name: "a", description: value, variables: { v: value, n: number }, steps };
      expect(reloaded(template)).toEqual(template);
    }),
    cases({ quick: 100, long: 1_000, soak: 10_000 }),
  );
});
