import { mkdirSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { portableValue } from "../../src/app/portable-text.ts";
import { makeWorld } from "./world.ts";

const roots = { stateRoot: "/project", projectRoot: "/project", worktree: null };

function kept(home: string, text: string): string {
  return portableValue({ roots, home, env: {} }, "/project", text);
}

test("a home that is written with a slash at its end is the same home", () => {
  expect(kept("/users/ann/", "see /users/ann/.ssh and /users/ann, not /users/anna")).toBe(
    "see ~/.ssh and ~, not /users/anna",
  );
});

test("a home behind a link is known by both its names", () => {
  const world = makeWorld();
  mkdirSync(world.path("real"));
  symlinkSync("real", world.path("link"));
  const text = `${world.path("link/notes")} and ${world.path("real/notes")}`;
  expect(portableValue({ roots, home: world.path("link"), env: {} }, "/project", text)).toBe("~/notes and ~/notes");
});
