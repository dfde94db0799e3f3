import { mkdirSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { portableValue } from "../../../src/app/privacy/portable-text.ts";
import { makeWorld } from "../world.ts";

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

test("a project that was entered through a link is known by that name too", () => {
  const world = makeWorld();
  mkdirSync(world.path("real/packages/one"), { recursive: true });
  symlinkSync("real", world.path("link"));
  const own = { stateRoot: world.path("real"), projectRoot: world.path("real"), worktree: null };
  const text = `${world.path("link/notes")} and ${world.path("real/notes")}`;
  for (const entered of ["link", "link/packages/one", "real"]) {
    const env = { PWD: world.path(entered) };
    const masked = portableValue({ roots: own, home: "/home", env }, own.projectRoot, text);
    expect(masked).toContain("and {project_root}/notes");
    expect(masked.startsWith("{project_root}")).toBe(entered !== "real");
  }
});
