import { expect, it } from "vitest";
import { describeAttacks } from "./describe-attacks.ts";
import { forgedBundles } from "./fixtures/bundles.ts";
import { oddStores } from "./fixtures/git-stores.ts";
import { broughtPackages } from "./fixtures/packages.ts";
import { endlessPlaces, linkedPlaces, pipedPlaces } from "./fixtures/places.ts";
import { broughtRecords } from "./fixtures/records.ts";
import { foulTexts } from "./fixtures/texts.ts";
import { oddRepositories, oddTrees } from "./fixtures/trees.ts";

const all = [
  ...broughtPackages,
  ...broughtRecords,
  ...foulTexts,
  ...oddStores,
  ...forgedBundles,
  ...oddTrees,
  ...oddRepositories,
  ...linkedPlaces,
  ...endlessPlaces,
  ...pipedPlaces,
];

it("every attack has a name of its own", () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});

/** Some of them, in few calls; the long tier makes all calls in every second repository, the soak in all. */
const few = [
  "shims that look like ours but run something",
  "a record with paths out of the project",
  ".holdfast is a link out of the project",
  ".holdfast/cache/config.json is a link to /dev/zero",
];

describeAttacks(
  "a clone:",
  all.filter(({ name }) => few.includes(name)),
  "few",
);
