import { statSync, utimesSync } from "node:fs";
import { expect, test } from "vitest";
import { findSettings } from "../../src/project/compiled-settings.ts";
import { makeWorld } from "../app/world.ts";

test("settings that were changed in place are seen, however the file's times were set", async () => {
  const world = makeWorld();
  const found = async () => (await findSettings(world.project)).settings.patienceSeconds;
  const file = world.write(".holdfast/config.yaml", "patience_seconds: 3\n");
  const { atime, mtime } = statSync(file);
  expect(await found()).toBe(3);
  world.write(".holdfast/config.yaml", "patience_seconds: 7\n");
  utimesSync(file, atime, mtime);
  expect(await found()).toBe(7);
  world.write(".holdfast/config.yaml", "patience_seconds: x\n");
  expect(await findSettings(world.project)).toMatchObject({ settings: { patienceSeconds: null } });
});
