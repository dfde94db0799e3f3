import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Card, cardText, editsOf, mergeCard, parseCard } from "../../src/cards/card.ts";
import { later, ownOf, runId, start, trackedOf } from "./own.ts";

const example = {
  workflow: "feature",
  workflow_type: "implementation",
  phase: { current: 3, total: 5, name: "Build", status: "in_progress" },
  required_reading: ["@docs/architecture.md", "@docs/plan.md"],
  context: { plan_number: 1, feature_name: "dark-mode" },
  key_reminders: ["Run the tests after each component", "No new dependencies"],
  created_at: "2026-11-14T14:30:52.123Z",
  updated_at: "2026-11-14T16:02:11.004Z",
  run_id: "feature-20261114_143052-k3f9",
  version: 1,
};

function read(value: unknown): { readonly card: Card; readonly notes: readonly string[] } {
  const parsed = parseCard(typeof value === "string" ? value : JSON.stringify(value));
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed;
}

function problemOf(text: string): string {
  const parsed = parseCard(text);
  return parsed.ok ? "none" : parsed.problem;
}

describe("a card is read", () => {
  it("as we write it", () => {
    expect(parseCard(JSON.stringify(example))).toEqual({ ok: true, card: { ...example, other: {} }, notes: [] });
  });

  it("as another tool writes it that knows only the seed's format", () => {
    const { updated_at: _, run_id: __, version: ___, ...seed } = example;
    expect(read({ ...seed, created_at: "2025-12-09T14:30:52.123456Z", branch: "main" })).toEqual({
      ok: true,
      card: {
        ...seed,
        created_at: "2025-12-09T14:30:52.123456Z",
        updated_at: null,
        run_id: null,
        version: null,
        other: { branch: "main" },
      },
      notes: [],
    });
  });

  it("with a byte order mark before it", () => {
    expect(read(`\uFEFF${JSON.stringify(example)}`).card.workflow).toBe("feature");
  });

  it.each([
    ["a list", "[]", "it holds a list, not a card"],
    ["null", "null", "it holds null, not a card"],
    ["a text", '"feature"', "it holds a string, not a card"],
    ["a number", "7", "it holds a number, not a card"],
    ["nothing", "", "it is not JSON"],
    ["half a card", JSON.stringify(example).slice(0, 80), "it is not JSON"],
    ["no name", '{"phase":{}}', "it has no workflow name"],
    ["an empty name", '{"workflow":" "}', "it has no workflow name"],
    ["a name that is no text", '{"workflow":7}', "it has no workflow name"],
    ["more than 256 KB", JSON.stringify({ workflow: "x".repeat(262_144) }), "it is too large"],
    ["more than 256 KB in other scripts", JSON.stringify({ workflow: "日".repeat(90_000) }), "it is too large"],
    [
      "lists within lists without an end",
      `{"workflow":"w","context":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`,
      "it is nested too deeply",
    ],
    [
      "a newer format",
      '{"workflow":"w","version":2}',
      "it has version 2, written by a newer Holdfast; update Holdfast to read it",
    ],
  ])("not at all when it holds %s", (_, text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  it.each([
    ["4/10 - SEO Generation", { current: 4, total: 10, name: "SEO Generation", status: "in_progress" }],
    [undefined, { current: 1, total: 1, name: "w", status: "in_progress" }],
    ["somewhere", { current: 1, total: 1, name: "w", status: "in_progress" }],
    [[4, 10], { current: 1, total: 1, name: "w", status: "in_progress" }],
    [
      { current: "2", total: "5", name: 7, status: "In Progress" },
      { current: 2, total: 5, name: "", status: "in_progress" },
    ],
    [{ current: 3 }, { current: 3, total: 3, name: "", status: "in_progress" }],
    [
      { current: -1, total: 2.5, name: "x", status: "blocked" },
      { current: 1, total: 1, name: "x", status: "blocked" },
    ],
    [
      { current: 6, total: 5, name: "x", status: "done" },
      { current: 6, total: 5, name: "x", status: "completed" },
    ],
    [
      { current: 2, total: 5, name: "x", status: "cancelled" },
      { current: 5, total: 5, name: "x", status: "completed" },
    ],
  ])("with the phase %j made into one", (phase, expected) => {
    expect(read({ workflow: "w", created_at: start, phase }).card.phase).toEqual(expected);
  });

  it("with a note on each thing that is odd about it", () => {
    const odd = {
      workflow: "w",
      phase: { current: 6, total: 5, name: "x", status: "jolly" },
      required_reading: ["docs/a.md", 7, null, { path: "x" }, ""],
      key_reminders: "Only this",
      context: ["a"],
      run_id: "../../etc",
    };
    const { card, notes } = read(odd);
    expect(card).toEqual({
      workflow: "w",
      workflow_type: "custom",
      phase: { current: 6, total: 5, name: "x", status: "in_progress" },
      required_reading: ["@docs/a.md"],
      context: { value: ["a"] },
      key_reminders: ["Only this"],
      created_at: "1970-01-01T00:00:00.000Z",
      updated_at: null,
      run_id: null,
      version: null,
      other: {},
    });
    expect(notes).toEqual([
      "it has no created_at time",
      "its phase has no known status; in_progress is assumed",
      "phase 6 of 5 is past the end",
      "4 of required_reading are not strings",
      'its context is not an object; it is kept as "value"',
      "its run_id is not a valid run id",
    ]);
  });

  it("without harm from names that reach into prototypes", () => {
    const text = '{"workflow":"w","__proto__":{"polluted":1},"context":{"__proto__":{"polluted":1},"constructor":2}}';
    const { card } = read(text);
    const again = cardText(mergeCard(trackedOf({ workflow: "w" }), card, later));
    expect(again).toContain('"__proto__": {\n    "polluted": 1\n  }');
    expect(again).toContain('"constructor": 2');
    expect(({} as { polluted?: number }).polluted).toBe(undefined);
    expect((read(again).card.context as { polluted?: number }).polluted).toBe(undefined);
  });
});

describe("a card is written", () => {
  it("with its keys in the order of the spec's example, and what we do not know after them", () => {
    const text = cardText(read({ branch: "main", ...example }).card);
    expect(Object.keys(JSON.parse(text))).toEqual([...Object.keys(example), "branch"]);
    expect(text.startsWith('{\n  "workflow": "feature",\n')).toBe(true);
    expect(text.endsWith("\n}\n")).toBe(true);
  });

  it("so that reading and writing it again changes no byte", () => {
    const odd = { ...example, other: { other: 1 }, notes: ["日本 \u2028 \ud800"], "7": null };
    const text = cardText(read(odd).card);
    expect(cardText(read(text).card)).toBe(text);
    expect(read(text).card.other).toEqual({ other: { other: 1 }, notes: odd.notes, "7": null });
  });

  it("like the example of the spec", () => {
    const text = readFileSync("test/cards/fixtures/state-card.json", "utf8");
    expect(JSON.parse(cardText(read(text).card))).toEqual(JSON.parse(text));
    expect(JSON.parse(text)).toEqual(example);
  });
});

describe("a merge", () => {
  it("makes a card where there is none", () => {
    expect(mergeCard(ownOf({ required_reading: ["docs/a.md"] }), null, later)).toEqual({
      workflow: "feature",
      workflow_type: "implementation",
      phase: { current: 1, total: 5, name: "Design", status: "in_progress" },
      required_reading: ["@docs/a.md"],
      context: { feature_name: "dark-mode" },
      key_reminders: ["Run the tests"],
      created_at: start,
      updated_at: later,
      run_id: runId,
      version: 1,
      other: {},
    });
  });

  it("changes what is the engine's, and keeps all that an agent or a person wrote", () => {
    const written = {
      workflow: "mine now",
      workflow_type: "qa-loop",
      phase: { current: 5, total: 5, name: "Mine", status: "completed" },
      required_reading: ["docs/extra.md", "@docs/architecture.md"],
      context: { feature_name: "light-mode", branch: "x" },
      key_reminders: ["Ask Ada", "Run the tests"],
      created_at: "2020-01-01T00:00:00.000Z",
      run_id: runId,
      version: 1,
      decisions: ["no ORM"],
    };
    const own = ownOf({
      required_reading: ["@docs/architecture.md", "@docs/plan.md"],
      other: { decisions: [], more: 1 },
    });
    expect(mergeCard(own, read(written).card, later)).toEqual({
      workflow: "feature",
      workflow_type: "implementation",
      phase: { current: 1, total: 5, name: "Design", status: "in_progress" },
      required_reading: ["@docs/extra.md", "@docs/architecture.md", "@docs/plan.md"],
      context: { feature_name: "light-mode", branch: "x" },
      key_reminders: ["Ask Ada", "Run the tests"],
      created_at: start,
      updated_at: later,
      run_id: runId,
      version: 1,
      other: { decisions: ["no ORM"], more: 1 },
    });
  });

  it("keeps the start, and what the text does not say, of a tracked workflow", () => {
    const there = read({ ...example, workflow: "Page Orchestration", run_id: null }).card;
    const silent = trackedOf({
      created_at: later,
      phase: { current: 1, total: 1, name: "Page Orchestration", status: "in_progress" },
    });
    expect(mergeCard(silent, there, later)).toMatchObject({
      workflow_type: "implementation",
      phase: example.phase,
      created_at: start,
      updated_at: later,
    });
    const said = trackedOf({
      workflow_type: "planning",
      phase: { current: 4, total: 5, name: "Test", status: "blocked" },
    });
    expect(mergeCard(said, there, later)).toMatchObject({
      workflow_type: "planning",
      phase: { current: 4, status: "blocked" },
    });
  });

  it("gives a tracked card without a time the time of its first merge", () => {
    const there = read({ workflow: "Page Orchestration" }).card;
    expect(mergeCard(trackedOf(), there, later).created_at).toBe(start);
  });

  it("lets the engine change and take back what it is known to have contributed before", () => {
    const before = ownOf({ context: { round: 1, mode: "dark", gone: 1 }, key_reminders: ["old", "Run the tests"] });
    const there = mergeCard(before, null, start);
    const edited = {
      ...there,
      context: { ...there.context, mode: "light", mine: 2 },
      key_reminders: ["mine", ...there.key_reminders],
    };
    const now = ownOf({ context: { round: 2, mode: "dark" } });
    expect(mergeCard(now, edited, later, before)).toMatchObject({
      context: { round: 2, mode: "light", mine: 2 },
      key_reminders: ["mine", "Run the tests"],
    });
    expect(mergeCard(now, edited, later, before).context).not.toHaveProperty("gone");
  });
});

describe("the edits in a card", () => {
  it("does not hold a running gate that has ended: the field is the engine's alone", () => {
    const gate = { running_gate: { commands: ["npm test"], since: start } };
    const running = mergeCard(ownOf({ other: gate }), null, start);
    expect(running.other).toEqual(gate);
    expect(mergeCard(ownOf(), running, later).other).toEqual({});
    expect(editsOf(ownOf(), running)).toBe(null);
  });

  it("are none in what we wrote ourselves", () => {
    const own = ownOf({ required_reading: ["docs/a.md"], context: { list: [{ a: 1 }] } });
    expect(editsOf(own, read(cardText(mergeCard(own, null, later))).card)).toBe(null);
  });

  it("are what was added or changed", () => {
    const own = ownOf({ context: { same: { a: [1] }, changed: 1, taken: 1 }, other: { known: 1 } });
    const there = {
      ...mergeCard(own, null, later),
      required_reading: ["@docs/architecture.md", "docs/new.md", "@docs/new.md"],
      key_reminders: ["Ask Ada", "Run the tests", "Ask Ada"],
      context: { same: { a: [1] }, changed: 2, added: null },
      other: { known: 1, unknown: {} },
    };
    expect(editsOf(own, there)).toEqual({
      required_reading: ["@docs/new.md"],
      key_reminders: ["Ask Ada"],
      context: { changed: 2, added: null },
      other: { unknown: {} },
    });
  });
});
