import { expect, it } from "vitest";
import { describeAttacks } from "./describe-attacks.ts";
import { all, named } from "./fixtures/all.ts";

it("every attack has a name of its own", () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});

/** Two of them, in few calls; the long tier makes all calls in every second repository, the soak in all. */
const few = named("a record with paths out of the project", ".holdfast is a link out of the project");

describeAttacks("a clone:", few, "few");
