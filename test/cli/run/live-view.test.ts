import { afterEach, expect, test, vi } from "vitest";
import { createLiveView } from "../../../src/cli/run/live-view.ts";
import { createPaint } from "../../../src/cli/terminal/paint.ts";

afterEach(() => void vi.unstubAllEnvs());

const plan = {
  workflow: "boat",
  steps: ["plan", "build", "ship"].map((id) => ({ id, type: "action", agent: null })),
  commands: [],
  grants: [],
  agent: "claude",
  pays: null,
  permissions: "edit",
  budget: undefined,
  limits: {},
};

test("the live view shows steps, task, time, tokens, cost and the agent's last lines in 80 columns", () => {
  const view = createLiveView(plan, createPaint({ colours: false, columns: 80 }), 0);
  view.take({ type: "visit", token: "plan#1", step: "plan", number: 1, steps: 3 });
  const task = { title: "the MAST", number: 2, total: 5 };
  view.take({ type: "visit", token: "build/m/make#1", step: "build", number: 2, steps: 3, task });
  view.take({ type: "usage", turns: 12, tokens: 43_210, cost: 0.4567 });
  for (const word of ["one", "two", "three", "four", "five"]) view.take({ type: "text", text: `${word}\n\n` });
  view.take({ type: "text", text: `${"long ".repeat(40)}\u001b[31m` });
  expect(view.lines(3_723_000, 80).join("\n")).toBe(
    `
${"─".repeat(80)}
boat                                     1:02:03 · 12 turns · 43k tokens · $0.46
  ✓ plan   ▸ build   · ship
  the agent works on build/m/make#1  task 2/5: the MAST
  | three
  | four
  | five
  | ${"long ".repeat(15).trim()}…`.trim(),
  );
});

test("it says until when a run is parked, in local time", () => {
  vi.stubEnv("TZ", "America/New_York");
  const view = createLiveView(plan, createPaint({ colours: false, columns: 80 }), 0);
  view.take({ type: "parked", why: "limit", reason: "the limit is reached", until: "2026-01-01T15:30:00.000Z" });
  expect(view.lines(0, 80).join("\n")).toMatch(/parked until 2026-01-01 10:30: the limit is reached/);
});
