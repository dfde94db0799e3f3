import { appendFileSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { commitAndRemember, createSessionLogs, withCachedRun } from "../../src/sessions/session-log.ts";
import { createHosts, shownBy, twoSteps } from "../app/continuity/hook-ports.ts";
import { makeWorld } from "../app/world.ts";

const started = { type: "started", source: "resume", host: "claude", parent: "7.1" } as const;
const at = "2026-01-31T00:00:00.000Z";

describe("the run of a session", () => {
  it("is remembered with a commit, and forgotten when a commit of another run may not have been finished", async () => {
    const logs = createSessionLogs(makeWorld().path("state/x"));
    const events = [{ type: "instructions-taken", seq: 2, at, token: "measure#1", session: "mine" }] as const;
    await commitAndRemember(logs, "one", events, async () => expect(logs.runOf("mine")).toBeNull());
    expect(logs.runOf("mine")).toBe("one");
    await commitAndRemember(logs, "one", events, async () => expect(logs.runOf("mine")).toBe("one"));
    const killed = commitAndRemember(logs, "two", events, () => Promise.reject(new Error("killed")));
    await expect(killed).rejects.toThrow("killed");
    expect(logs.runOf("mine")).toBeNull();
  });

  it("is the new one for a server that has cached it, as soon as another process changes it", () => {
    const folder = makeWorld().path("state/x");
    const [server, other] = [withCachedRun(createSessionLogs(folder)), createSessionLogs(folder)];
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date"] });
    for (const run of ["one", "two", null, "six"]) {
      other.setRun("mine", run);
      // First while the file may still change unnoticed, then from the cache.
      expect(server.runOf("mine")).toBe(run);
      vi.setSystemTime(Date.now() + 10_000);
      expect([server.runOf("mine"), server.runOf("mine")]).toEqual([run, run]);
    }
    expect(server.runOf("yours")).toBeNull();
  });
});

describe("the log of a session", () => {
  it("goes on after half a line that a killed hook has left", () => {
    const folder = makeWorld().path("state/x");
    const logs = createSessionLogs(folder);
    logs.tell("mine", { ...started, at, via: "project" });
    const [name = ""] = readdirSync(join(folder, "sessions"));
    appendFileSync(join(folder, "sessions", name), '{"type":"started","at":"2026');
    const { state, first } = logs.tell("mine", { ...started, at, via: "plugin" });
    expect({ losses: state.losses, first }).toEqual({ losses: 1, first: false });
    expect(logs.read("mine").parent).toBe("7.1");
  });

  it("is not taken in by what someone else has written into it", () => {
    const folder = makeWorld().path("state/x");
    const logs = createSessionLogs(folder);
    logs.tell("mine", { ...started, at, via: "project" });
    const [name = ""] = readdirSync(join(folder, "sessions"));
    for (const line of [
      "null",
      "[]",
      "{}",
      '{"type":"ended"}',
      '{"type":"toString","at":"","via":"","session":"","nonce":""}',
    ]) {
      appendFileSync(join(folder, "sessions", name), `${line}\n`);
    }
    expect(logs.read("mine")).toMatchObject({ losses: 1, parent: "7.1", ended: null });
  });

  it("makes room at its end when there are very many, and what cannot be removed costs nobody anything", async () => {
    const world = makeWorld();
    world.workflow("feature", twoSteps);
    await world.agent("mine").ok("start", { workflow: "feature" });
    const sessions = world.path(".holdfast/sessions/x").slice(0, -2);
    for (let count = 0; count < 320; count++) writeFileSync(join(sessions, `${count}.jsonl`), "");
    mkdirSync(join(sessions, "folder"));
    utimesSync(join(sessions, "folder"), 1, 1);
    const host = createHosts(world)();
    expect(shownBy(await host.start("mine", "compact"))).toBe("full");
    expect(await host.tell("mine", "SessionEnd", { reason: "logout" })).toEqual({});
    expect(readdirSync(sessions).length).toBeLessThan(200);
  });
});
