import { isAbsolute } from "node:path";
import { describe, expect, it } from "vitest";
import { compose } from "../../src/app/compose.ts";
import { operations } from "../../src/app/operations.ts";
import { makeWorld } from "./world.ts";

const nobody = makeCaller();

function makeCaller(session?: string, env: Readonly<Record<string, string>> = {}) {
  const nowhere = { isTerminal: false, surroundings: () => ({ terminal: null, ancestors: [] }) };
  const absent = { as: undefined, confirm: undefined, progress: undefined, signal: undefined };
  return { env, session, face: "cli" as const, ...nowhere, ...absent };
}

describe("the user's own settings", () => {
  it("are in their home", () => {
    const { project } = makeWorld();
    const ada = makeCaller(undefined, { HOME: "/home/ada", XDG_CONFIG_HOME: project });
    expect(compose(project, ada).user).toMatchObject({
      home: "/home/ada",
      configFolder: "/home/ada/.config/holdfast",
    });
  });

  it.each(["", ".", "home"])("are never in the project, also when HOME is '%s'", (home) => {
    const { project } = makeWorld();
    const { user } = compose(project, makeCaller(undefined, { HOME: home }));
    expect(isAbsolute(user.configFolder)).toBe(true);
    expect(user.home).not.toBe(home);
  });

  // Only root can become a user whom nobody knows.
  it.skipIf(process.geteuid?.() !== 0)("are found for a user whom the system has no name for, too", () => {
    const { project } = makeWorld();
    const stranger = makeCaller(undefined, { HOME: "/home/container" });
    const deps = asUser(54_321, () => compose("/", stranger));
    expect(deps.user).toEqual({
      name: expect.stringMatching(/^user \d+$/),
      home: "/home/container",
      configFolder: "/home/container/.config/holdfast",
    });
    expect(compose(project, nobody).roots.projectRoot).toBe(project);
  });
});

describe("a session's id", () => {
  it("of any length is kept, and the journal stays readable", async () => {
    const { project } = makeWorld();
    const deps = compose(project, makeCaller("s".repeat(5_000)));
    await operations.start.run(deps, { workflow: "feature" });
    const log = await operations.log.run(compose(project, nobody), {});
    expect(log).toMatchObject({ ok: true, value: { status: "running" } });
    expect(deps.caller.session).toMatch(/^[0-9a-f]{64}$/);
    expect(compose(project, makeCaller("s".repeat(5_001))).caller.session).not.toBe(deps.caller.session);
  });

  it("that is empty is none, and an ordinary one stays as it is", () => {
    const { project } = makeWorld();
    expect(compose(project, makeCaller("")).caller.session).toBe(undefined);
    expect(compose(project, makeCaller("s1")).caller.session).toBe("s1");
  });
});

describe("a run's suffix", () => {
  it("is four characters that a path may hold, by chance", () => {
    const { project } = makeWorld();
    const deps = compose(project, nobody);
    const suffixes = new Set(Array.from({ length: 50 }, () => deps.suffix()));
    for (const suffix of suffixes) expect(suffix).toMatch(/^[a-z0-9]{4}$/);
    expect(suffixes.size).toBeGreaterThan(45);
  });
});

function asUser<T>(id: number, act: () => T): T {
  process.seteuid?.(id);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
  }
}
