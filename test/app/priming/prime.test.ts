import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { renderArtifacts } from "../../../src/artifacts/budget.ts";
import { inspectArtifact } from "../../../src/artifacts/inspect-artifact.ts";
import { loadArtifacts } from "../../../src/artifacts/load-artifact.ts";
import type { LoadedArtifact } from "../../../src/artifacts/loaded.ts";
import { type LoadRequest, planLoading } from "../../../src/artifacts/plan-loading.ts";
import type { Artifact } from "../../../src/model/artifact.ts";
import { makeProject, worldOf } from "../../artifacts/project.ts";

/** The artifacts of the seed's example. */
const artifacts: readonly Artifact[] = [
  { id: "workflow-state", type: "json", path: "{run_state}", required: true, reload_triggers: ["session_start"] },
  {
    id: "workflow-plan",
    type: "json",
    path: "plans/{plan_id}.json",
    required: true,
    reload_triggers: ["session_start"],
  },
  { id: "protocol", type: "markdown", path: "docs/protocol.md", required: true, reload_triggers: ["session_start"] },
  {
    id: "specification",
    type: "markdown",
    path_from_state: "artifacts.spec_path",
    condition: "state.artifacts.spec_path != null",
    reload_triggers: ["session_start", "phase_transition:architect->build"],
  },
];

const files = { "plans/7.json": "{}", "docs/protocol.md": "# Protocol", "specs/258.md": "# Spec" };
const start: LoadRequest = { artifacts, moments: [{ type: "session_start" }], state: {}, loaded: {}, force: false };
const statuses = (loaded: readonly LoadedArtifact[]) =>
  loaded.map((artifact) => [artifact.id, artifact.status === "skipped" ? artifact.reason : artifact.status]);
const hashes = (loaded: readonly LoadedArtifact[]) =>
  Object.fromEntries(
    loaded.flatMap((artifact) => (artifact.status === "loaded" ? [[artifact.id, artifact.hash]] : [])),
  );

test("the seed's example, from the first session over a change of phase to a compaction", async () => {
  const root = makeProject(files);
  const before = { run_id: "r1", artifacts: {} };
  const values = { plan_id: "7" };
  const first = await loadArtifacts(planLoading({ ...start, state: before }), worldOf(root, { state: before, values }));
  expect(statuses(first)).toEqual([
    ["workflow-state", "loaded"],
    ["workflow-plan", "loaded"],
    ["protocol", "loaded"],
    ["specification", "condition"],
  ]);

  const state = { run_id: "r1", artifacts: { spec_path: "{project_root}/specs/258.md" } };
  const world = worldOf(root, { state, values });
  const toBuild = [{ type: "phase_transition", from: "architect", to: "build" }] as const;
  const second = await loadArtifacts(planLoading({ ...start, state, moments: toBuild, loaded: hashes(first) }), world);
  expect(statuses(second)).toEqual([
    ["workflow-state", "trigger"],
    ["workflow-plan", "trigger"],
    ["protocol", "trigger"],
    ["specification", "loaded"],
  ]);

  const inContext = { ...hashes(first), ...hashes(second) };
  const byHand = planLoading({ ...start, state, moments: [{ type: "manual" }], loaded: inContext });
  writeFileSync(join(root, "docs/protocol.md"), "# Protocol, changed");
  expect(statuses(await loadArtifacts(byHand, world))).toEqual([
    ["workflow-state", "loaded"],
    ["workflow-plan", "unchanged"],
    ["protocol", "loaded"],
    ["specification", "unchanged"],
  ]);

  const compacted = await loadArtifacts(planLoading({ ...start, state, moments: [{ type: "compaction" }] }), world);
  expect(statuses(compacted).map(([, status]) => status)).toEqual(["loaded", "loaded", "loaded", "loaded"]);
  expect(renderArtifacts(compacted, 60_000).text).toContain("# Spec");
});

test("the same state leads to the same file in another checkout", async () => {
  const state = { artifacts: { spec_path: "{project_root}/specs/258.md" } };
  const plan = planLoading({ ...start, artifacts: artifacts.slice(3), state });
  const here = await loadArtifacts(plan, worldOf(makeProject(files), { state }));
  const there = await loadArtifacts(plan, worldOf(makeProject(files), { state }));
  expect(here).toEqual(there);
  expect(here[0]).toMatchObject({ status: "loaded", path: "specs/258.md" });
});

test("what would be loaded is told without loading it", () => {
  const world = worldOf(makeProject(files), { state: {}, values: {}, trusted: true, providers: { skill: ["false"] } });
  const more: readonly Artifact[] = [
    { id: "git", type: "git_info" },
    { id: "issue", type: "text", command: "false" },
    { id: "skill", type: "skill", name: "review" },
  ];
  expect([...artifacts, ...more].map((artifact) => inspectArtifact(artifact, world))).toEqual([
    { status: "made", from: "state" },
    { status: "unavailable", problem: "plans/{plan_id}.json needs {plan_id}, which is not set in this run yet" },
    { status: "there", path: "docs/protocol.md", bytes: 10 },
    { status: "unavailable", problem: "artifacts.spec_path is not set in the run's state yet" },
    { status: "made", from: "git" },
    { status: "made", from: "command" },
    { status: "made", from: "provider" },
  ]);
});

test("what would not be run is told without running it", () => {
  const world = worldOf(makeProject(), { providers: { skill: ["false"] } });
  const held: readonly Artifact[] = [
    { id: "issue", type: "text", command: ["touch", "a"] },
    { id: "slash", type: "text", command: "/work:fetch 258" },
    { id: "skill", type: "skill", name: "review" },
    { id: "plugin", type: "work_plugin", name: "github" },
  ];
  expect(held.map((artifact) => inspectArtifact(artifact, world))).toMatchObject([
    { status: "refused", problem: "touch a runs only after a person has trusted this workflow: holdfast trust" },
    { status: "asked", command: "/work:fetch 258" },
    { status: "refused", problem: "skill runs only after a person has trusted this workflow: holdfast trust" },
    {
      status: "refused",
      problem: "no provider for work_plugin github; add its program to providers in ~/.config/holdfast/config.yaml",
    },
  ]);
});

test("a hook that loads this room loads nothing large with it", async () => {
  const entries = ["load-artifact", "plan-loading", "budget", "inspect-artifact"];
  const { metafile } = await build({
    entryPoints: entries.map((name) => `src/artifacts/${name}.ts`),
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    outdir: "unused",
  });
  expect(Object.keys(metafile.inputs).filter((path) => path.includes("node_modules"))).toEqual([]);
});
