import { describe, expect, test } from "vitest";
import { type Moment, planLoading, unknownArtifacts } from "../../src/artifacts/plan-loading.ts";
import type { Artifact } from "../../src/model/artifact.ts";

/** The artifacts of the seed, and one of each other kind of trigger. */
const artifacts: readonly Artifact[] = [
  { id: "workflow-state", type: "json", path: "{run_state}", reload_triggers: ["session_start", "phase_transition"] },
  { id: "protocol", type: "markdown", path: "docs/protocol.md", reload_triggers: ["session_start"] },
  {
    id: "specification",
    type: "markdown",
    path_from_state: "artifacts.spec_path",
    condition: "state.artifacts.spec_path != null",
    reload_triggers: ["session_start", "phase_transition:architect->build"],
  },
  { id: "usual", type: "text", path: "a.txt" },
  { id: "never", type: "text", path: "a.txt", reload_triggers: [] },
  { id: "by-hand", type: "text", path: "a.txt", reload_triggers: ["manual"] },
  { id: "compacted", type: "text", path: "a.txt", reload_triggers: ["compaction"] },
  { id: "building", type: "text", path: "a.txt", reload_triggers: ["phase_start:build"] },
  { id: "planning", type: "text", path: "a.txt", reload_triggers: ["step_start:plan"] },
];

const state = { artifacts: { spec_path: "specs/258.md" } };
const request = { artifacts, moments: [], state, loaded: {}, force: false };

function loadedAt(...moments: readonly Moment[]): readonly (readonly [id: string, trigger: string])[] {
  return planLoading({ ...request, moments }).flatMap((planned) =>
    planned.status === "load" ? [[planned.artifact.id, planned.trigger] as const] : [],
  );
}

describe("what is loaded", () => {
  test("at the start of a session: what names it, and what names nothing", () => {
    expect(loadedAt({ type: "session_start" })).toEqual([
      ["workflow-state", "session_start"],
      ["protocol", "session_start"],
      ["specification", "session_start"],
      ["usual", "session_start"],
    ]);
  });

  test("after a compaction: the same, as the conversation begins anew, and what names compactions", () => {
    expect(loadedAt({ type: "compaction" })).toEqual([
      ["workflow-state", "compaction"],
      ["protocol", "compaction"],
      ["specification", "compaction"],
      ["usual", "compaction"],
      ["compacted", "compaction"],
    ]);
  });

  test("from one phase to the next: what names any, this one, or the phase that begins", () => {
    expect(loadedAt({ type: "phase_transition", from: "architect", to: "build" })).toEqual([
      ["workflow-state", "phase_transition"],
      ["specification", "phase_transition:architect->build"],
      ["building", "phase_start:build"],
    ]);
  });

  test("from another phase: not what names this one", () => {
    expect(loadedAt({ type: "phase_transition", from: "build", to: "evaluate" })).toEqual([
      ["workflow-state", "phase_transition"],
    ]);
  });

  test("phases are named exactly", () => {
    expect(loadedAt({ type: "phase_transition", from: "Architect", to: "Build" })).toEqual([
      ["workflow-state", "phase_transition"],
    ]);
  });

  test("at the start of a phase, and of a step", () => {
    expect(loadedAt({ type: "phase_start", phase: "build" })).toEqual([["building", "phase_start:build"]]);
    expect(loadedAt({ type: "step_start", step: "plan" })).toEqual([["planning", "step_start:plan"]]);
    expect(loadedAt({ type: "step_start", step: "build" })).toEqual([]);
  });

  test("at two moments at once: what names either", () => {
    expect(loadedAt({ type: "phase_start", phase: "build" }, { type: "step_start", step: "plan" })).toEqual([
      ["building", "phase_start:build"],
      ["planning", "step_start:plan"],
    ]);
  });

  test("by hand: everything", () => {
    expect(loadedAt({ type: "manual" }).map(([id]) => id)).toEqual(artifacts.map(({ id }) => id));
  });

  test("at no moment: nothing", () => {
    expect(loadedAt()).toEqual([]);
  });
});

describe("what is not loaded", () => {
  test("says whether its trigger or its condition is why", () => {
    const plan = planLoading({ ...request, moments: [{ type: "compaction" }], state: {} });
    const skipped = plan.flatMap((planned) =>
      planned.status === "skip" ? [[planned.artifact.id, planned.reason]] : [],
    );
    expect(skipped).toEqual([
      ["specification", "condition"],
      ["never", "trigger"],
      ["by-hand", "trigger"],
      ["building", "trigger"],
      ["planning", "trigger"],
    ]);
  });

  test("is refused when its condition cannot be read, whoever let it pass", () => {
    const broken: Artifact = { id: "a", type: "text", path: "a.txt", condition: "state.a = 1" };
    const plan = planLoading({ ...request, artifacts: [broken], moments: [{ type: "session_start" }] });
    expect(plan).toEqual([
      {
        artifact: broken,
        status: "refuse",
        problem: "its condition is invalid at column 9: a single = is not supported; compare with ==",
      },
    ]);
  });
});

describe("what is in context already", () => {
  const once = { ...request, artifacts: artifacts.slice(0, 2), moments: [{ type: "session_start" }] as const };
  const knownIn = (plan: ReturnType<typeof planLoading>) =>
    plan.map((planned) => (planned.status === "load" ? planned.known : planned.status));

  test("goes along, so that it is loaded only if it has changed", () => {
    expect(knownIn(planLoading({ ...once, loaded: { protocol: "sha256:ab" } }))).toEqual([null, "sha256:ab"]);
  });

  test("does not count in a new epoch, or when all is forced", () => {
    expect(knownIn(planLoading(once))).toEqual([null, null]);
    expect(knownIn(planLoading({ ...once, loaded: { protocol: "sha256:ab" }, force: true }))).toEqual([null, null]);
  });

  test("is looked up by its own name alone", () => {
    const odd: Artifact = { id: "toString", type: "text", path: "a.txt" };
    expect(knownIn(planLoading({ ...once, artifacts: [odd] }))).toEqual([null]);
  });
});

test("only those that are asked for are planned, and unknown ones are told", () => {
  const plan = planLoading({ ...request, moments: [{ type: "manual" }], only: ["protocol", "nothing"] });
  expect(plan.map(({ artifact }) => artifact.id)).toEqual(["protocol"]);
  expect(unknownArtifacts(artifacts, ["protocol", "nothing"])).toEqual(["nothing"]);
});
