import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { runHook } from "../hooks/hook-program.ts";
import { by, faber, faberProject, type ListedArtifacts, phases, statuses } from "./faber.ts";
import { createProject, type Project, twoSteps } from "./program.ts";

// The acceptance criteria of the seed on critical artifacts, on the program as a user has it.

const mine = by("s1");
const start = (project: Project) => project.json(["start", "faber"], mine);
const advance = (project: Project, ...words: string[]) => project.json(["advance", "--output", "done", ...words], mine);
const prime = (project: Project, ...words: string[]) => project.json(["prime", ...words], mine);

/** A run of a workflow with only these artifacts. */
async function started(artifacts: ListedArtifacts, prepare: (project: Project) => void = () => {}): Promise<Project> {
  const project = faberProject(artifacts);
  prepare(project);
  await start(project);
  return project;
}

describe("criterion: the workflow schema supports critical_artifacts", () => {
  it("takes the seed's own example, and refuses what is wrong in one, with the artifact's name", async () => {
    const project = faberProject();
    expect((await project.json(["lint", ".holdfast/workflows/faber.yaml"])).code).toBe(0);
    const two = "id: two, type: json, path: a.json, command: cat a.json, reload_triggers: [session_start]";
    const wrong = {
      always: [
        two,
        'id: lost, type: json, path: "{nowhere}/a.json", reload_triggers: [session_start]',
        'id: late, type: json, path: a.json, reload_triggers: ["phase_start:deploy"]',
        'id: odd, type: json, path: a.json, condition: "state.a ==", reload_triggers: [session_start]',
      ],
    };
    project.write(".holdfast/workflows/wrong.yaml", faber(wrong, "wrong"));
    const { code, stdout, stderr } = await project.holdfast(["lint", ".holdfast/workflows/wrong.yaml"]);
    expect(code).toBe(1);
    const said = `${stdout}${stderr}`;
    expect(said).toContain('artifact "two" has path and command; keep one of them');
    expect(said).toContain("{nowhere} is unknown");
    expect(said).toContain("deploy");
    expect(said).toContain("column 11: ");
  });

  it("loads every type of artifact", async () => {
    const project = await started(
      {
        always: [
          "id: data, type: json, path: plans/7.json, select: goal",
          "id: words, type: markdown, path: docs/protocol.md",
          "id: plain, type: text, path: docs/protocol.md",
          "id: folder, type: directory, path: specs",
          "id: newest, type: directory, path: specs, latest: 1",
          "id: git, type: git_info",
          "id: talent, type: skill, name: review",
          "id: issue, type: work_plugin, name: github",
          "id: slash, type: text, command: /work:fetch 258",
        ],
      },
      (fresh) => {
        execFileSync("git", ["init", "--quiet", "--initial-branch", "main"], { cwd: fresh.root });
        fresh.write("../home/.config/holdfast/config.yaml", "providers: { skill: [echo, the skill] }\n");
      },
    );
    const { code, value } = await prime(project, "--force");
    expect(code).toBe(0);
    expect(statuses(value)).toEqual({
      data: "loaded",
      words: "loaded",
      plain: "loaded",
      folder: "loaded",
      newest: "loaded",
      git: "loaded",
      talent: "loaded",
      issue: "refused",
      slash: "asked",
    });
    expect(value.text).toContain('"a plan of two parts"');
    expect(value.text).toContain("One step at a time.");
    expect(value.text).toContain("258.md  37 bytes");
    expect(value.text).toContain("The button is blue.");
    expect(value.text).toContain("branch: main");
    expect(value.text).toContain("the skill review");
    expect(value.text).toContain("run the command /work:fetch 258 to load it");
    expect(value.text).toContain("no provider for work_plugin github; add its program to providers in");
  });
});

describe("criterion: the state tracks what is in context", () => {
  it("records id, trigger, hash, size and time of each, and counts the reloads", async () => {
    const project = faberProject();
    await start(project);
    await prime(project, "--force");
    const { context_metadata: metadata } = (await project.json(["sessions"])).value;
    expect(metadata).toMatchObject({ reload_count: 2, last_artifact_reload: expect.stringMatching(/^20.*Z$/) });
    expect(metadata.artifacts_in_context).toEqual(
      ["workflow-state", "workflow-plan", "protocol"].map((artifact_id) => ({
        artifact_id,
        loaded_at: metadata.last_artifact_reload,
        load_trigger: "manual",
        hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        bytes: expect.any(Number),
      })),
    );
  });
});

describe("criterion: the default workflows declare critical artifacts", () => {
  it("the feature's plan is one as soon as there is one", async () => {
    const project = createProject();
    await project.json(["start", "feature"], mine);
    const { value } = await prime(project, "--dry-run");
    expect(value.artifacts).toEqual([
      { id: "plan", status: "skipped", path: "docs/plan.md", bytes: null, note: "its condition is false" },
    ]);
  });
});

describe("criterion: the prime command works", () => {
  it("finds the only live run, and prints each artifact and what became of it", async () => {
    const project = faberProject();
    await project.json(["start", "faber"]);
    const { code, stdout } = await project.holdfast(["prime"]);
    expect(code).toBe(0);
    expect(stdout).toContain("### protocol: how we work (required)\ndocs/protocol.md, 32 bytes, sha256:");
    expect(stdout).toContain("One step at a time.");
    expect(stdout).toMatch(/^ {2}specification +skipped +its condition is false$/m);
  });

  it("loads only the ones that are named, and names those there are when one is unknown", async () => {
    const project = faberProject();
    await start(project);
    const { value } = await prime(project, "--force", "--artifacts", "protocol, workflow-plan");
    expect(statuses(value)).toEqual({ "workflow-plan": "loaded", protocol: "loaded" });
    expect(await project.holdfast(["prime", "--artifacts", "protocol,nope"])).toEqual({
      code: 1,
      stdout: "",
      stderr:
        'refused: there is no artifact "nope" (artifact-unknown)\n' +
        '  Next   use "workflow-state", "workflow-plan", "protocol", "specification"\n',
    });
  });

  it("with several live runs and no id lists them and ends with 1; an id decides", async () => {
    const project = faberProject();
    await project.json(["start", "faber"]);
    await project.json(["start", "faber", "--new"]);
    const { runs } = (await project.json(["runs"])).value;
    const ids = runs.map(({ runId }: { runId: string }) => runId);
    const { code, stderr } = await project.holdfast(["prime"]);
    expect(code).toBe(1);
    for (const id of ids) expect(stderr).toContain(id);
    for (const id of ids) expect((await project.json(["prime", "--run-id", id])).value.runId).toBe(id);
  });

  it("in a dry run writes nothing, and shows path, size, trigger, condition and why something is skipped", async () => {
    const project = faberProject({
      always: [
        "id: protocol, type: markdown, path: docs/protocol.md, reload_triggers: [session_start]",
        "id: gone, type: markdown, path: docs/gone.md",
        "id: later, type: markdown, path_from_state: artifacts.spec_path",
        "id: folder, type: directory, path: specs, reload_triggers: [manual]",
      ],
      conditional: [
        "id: never, type: json, path: plans/7.json, condition: \"run.status == 'complete'\", reload_triggers: [manual]",
        "id: now, type: json, path: plans/7.json, condition: \"run.status == 'running'\", reload_triggers: [manual]",
      ],
    });
    await start(project);
    const before = project.journal();
    const { code, value } = await prime(project, "--dry-run");
    expect(code).toBe(0);
    expect(project.journal()).toBe(before);
    const row = (id: string, status: string, path: string | null, bytes: number | null, note: string) => ({
      ...{ id, status, path, bytes, note },
    });
    expect(value).toMatchObject({
      text: "",
      artifacts: [
        row("protocol", "skipped", "docs/protocol.md", 32, "already in context, unchanged"),
        row("gone", "missing", "docs/gone.md", null, "there is no docs/gone.md"),
        row("later", "unavailable", null, null, "artifacts.spec_path is not set in the run's state yet"),
        row("folder", "would load", "specs", null, "triggered by manual"),
        row("never", "skipped", "plans/7.json", 30, "its condition is false"),
        row("now", "would load", "plans/7.json", 30, "triggered by manual; its condition is true"),
      ],
    });
  });

  it("says what is wrong with the project's settings, whose artifacts it cannot know", async () => {
    const project = faberProject();
    await start(project);
    project.write(".holdfast/config.yaml", "critical_artifacts: { sometimes_load: [] }\n");
    const { stdout } = await project.holdfast(["prime"]);
    expect(stdout).toMatch(/^warning: \.holdfast\/config\.yaml: critical_artifacts: .*sometimes_load/);
  });
});

describe("criterion: artifacts are loaded again by themselves", () => {
  it("the start of a run gives what its session begins with", async () => {
    const project = faberProject();
    const { value } = await start(project);
    expect(value).toMatchObject({ step: "frame" });
    expect(value.artifacts).toContain("One step at a time.");
    expect(value.artifacts).toContain('"goal": "a plan of two parts"');
    expect(value.artifacts).not.toContain("specification");
  });

  it("each trigger loads its artifact when it fires, and at no other move", async () => {
    const triggers = [
      ...["session_start", "compaction", "manual", "phase_transition"],
      ...phases.flatMap((phase) => [`phase_start:${phase}`, `step_start:${phase}`]),
      ...["phase_transition:architect->build", "phase_transition:evaluate->release"],
    ];
    const always = triggers.map((trigger, index) => {
      return `id: t${index}, type: text, path: "files/${index}.txt", reload_triggers: ["${trigger}"]`;
    });
    const project = faberProject({ always });
    for (const [index, trigger] of triggers.entries()) project.write(`files/${index}.txt`, `loaded by ${trigger}\n`);
    const loadedBy = ({ artifacts = "" }: { artifacts?: string }) =>
      [...artifacts.matchAll(/^loaded by (.*)$/gm)].map(([, trigger]) => trigger);
    const moves = [loadedBy((await start(project)).value)];
    for (const _ of phases.slice(1)) moves.push(loadedBy((await advance(project)).value));
    expect(moves).toEqual([
      ["session_start", "phase_start:frame", "step_start:frame"],
      ["phase_transition", "phase_start:architect", "step_start:architect"],
      ["phase_start:build", "step_start:build", "phase_transition:architect->build"],
      ["phase_start:evaluate", "step_start:evaluate"],
      ["phase_start:release", "step_start:release", "phase_transition:evaluate->release"],
    ]);
    expect(loadedBy({ artifacts: (await prime(project, "--force")).value.text })).toEqual(triggers);
  });

  it("shows a person at the terminal what an advance has loaded, and what it had already", async () => {
    const always = ["id: protocol, type: markdown, path: docs/protocol.md, reload_triggers: [phase_transition]"];
    const project = await started({ always });
    expect((await project.holdfast(["advance", "--output", "x"], mine)).stdout).toContain("One step at a time.");
    expect((await project.holdfast(["advance", "--output", "y"], mine)).stdout).toContain(
      "### protocol\nUnchanged since it was loaded above.",
    );
  });

  it("a look gives a session that came later what it has not seen, and nothing twice", async () => {
    const project = faberProject();
    await start(project);
    const first = (await project.json(["next"], by("s2"))).value;
    expect(first.artifacts).toContain("One step at a time.");
    expect((await project.json(["next"], by("s2"))).value.artifacts).toBeUndefined();
  });

  it("what a move sets off before a compaction or a clear is not lost with it", async () => {
    const project = createProject();
    const always = ['id: rules, type: text, path: rules.txt, reload_triggers: ["step_start:build"]'];
    const text = faber({ always }).replace("instructions: Do build", "instructions: Do build, context: clear");
    project.write(".holdfast/workflows/faber.yaml", text);
    project.write("rules.txt", "Mind the gap.\n");
    await start(project);
    await advance(project);
    expect((await advance(project)).value).toMatchObject({ contextAction: "/clear" });
    expect((await project.json(["next"], by("s2"))).value.artifacts).toContain("Mind the gap.");
  });
});

describe("an epoch", () => {
  it("does not load again what is in context unchanged, and says so; a changed file it does, and --force all", async () => {
    const project = faberProject();
    await start(project);
    const again = (await prime(project)).value;
    expect(statuses(again)).toEqual({
      "workflow-state": "skipped",
      "workflow-plan": "skipped",
      protocol: "skipped",
      specification: "skipped",
    });
    expect(again.text).toContain("### protocol: how we work (required)\nUnchanged since it was loaded above.");
    project.write("docs/protocol.md", "# Protocol\n\nTwo steps at a time.\n");
    const changed = (await prime(project)).value;
    expect(statuses(changed)).toMatchObject({ protocol: "loaded", "workflow-plan": "skipped" });
    expect(changed.text).toContain("Two steps at a time.");
    expect(statuses((await prime(project, "--force")).value)).toMatchObject({
      "workflow-plan": "loaded",
      protocol: "loaded",
    });
  });

  it("is a session's own: another, or a call without one, is told everything", async () => {
    const project = faberProject();
    await start(project);
    expect(statuses((await project.json(["prime"], by("s2"))).value)).toMatchObject({ protocol: "loaded" });
    for (const _ of ["once", "twice"])
      expect(statuses((await project.json(["prime"])).value)).toMatchObject({ protocol: "loaded" });
  });
});

describe("required and optional", () => {
  const always = [
    "id: protocol, type: markdown, path: docs/protocol.md, required: true, reload_triggers: [session_start]",
    "id: notes, type: markdown, path: docs/notes.md, reload_triggers: [session_start]",
  ];
  const remove = (project: Project) => execFileSync("rm", ["docs/protocol.md"], { cwd: project.root });

  it("a required one that is missing stops the advance, and the refusal names it, its path and what to do", async () => {
    const project = await started({ always }, remove);
    expect(await project.holdfast(["advance", "--output", "x"], mine)).toEqual({
      code: 1,
      stdout: "",
      stderr:
        'refused: the required artifact "protocol" cannot be loaded from docs/protocol.md: ' +
        "there is no docs/protocol.md (artifact-missing)\n" +
        "  Next   provide it, or change it in the workflow and run `holdfast adopt`; then continue\n",
    });
    expect((await prime(project)).value.error).toMatchObject({ code: "artifact-missing" });
    project.write("docs/protocol.md", "It is back.\n");
    expect((await advance(project)).value).toMatchObject({ step: "architect" });
  });

  it.each([
    ["is not the JSON that it should be", "json", '{"goal": ', "is not JSON"],
    ["is no text", "markdown", "a\0b", "is not text"],
  ])("a required one that %s stops it, too", async (_what, type, content, problem) => {
    const project = await started({ always: [`id: plan, type: ${type}, path: plan.txt, required: true`] }, (fresh) => {
      fresh.write("plan.txt", content);
    });
    expect((await project.json(["next"], mine)).value.artifacts).toContain("The visit cannot end without it.");
    expect((await advance(project)).value.error).toMatchObject({
      code: "artifact-missing",
      message: expect.stringContaining(problem),
    });
    project.write("plan.txt", '{"goal":"a knot"}');
    expect((await advance(project)).value).toMatchObject({ step: "architect" });
  });

  it("a required one for compactions stops the run after one, and not before", async () => {
    const project = await started({
      always: ["id: gone, type: text, path: gone.txt, required: true, reload_triggers: [compaction]"],
    });
    expect((await advance(project)).value).toMatchObject({ step: "architect" });
    await runHook(project, "PreCompact", { session_id: mine.env.HOLDFAST_SESSION, trigger: "auto" });
    expect((await advance(project)).value.error).toMatchObject({ code: "artifact-missing" });
  });

  it("that the work has failed for want of it may be said all the same", async () => {
    const project = await started({ always }, remove);
    expect((await project.json(["fail", "--reason", "there is no protocol"], mine)).code).toBe(0);
  });

  it("an optional one that is missing is a note, and stops nothing", async () => {
    const project = faberProject({ always });
    expect((await start(project)).value.artifacts).toContain("### notes\nMissing: there is no docs/notes.md.");
    expect((await advance(project)).value).toMatchObject({ step: "architect" });
  });

  it("what the state does not name yet is not available, which is not missing", async () => {
    const project = await started({
      always: ["id: spec, type: markdown, path_from_state: artifacts.spec_path, required: true"],
    });
    expect((await prime(project)).value).toMatchObject({ artifacts: [{ id: "spec", status: "unavailable" }] });
    expect((await advance(project, "--artifact", "spec_path=specs/gone.md")).value).toMatchObject({
      step: "architect",
    });
    expect((await advance(project)).value.error).toEqual({
      code: "artifact-missing",
      message: 'the required artifact "spec" cannot be loaded from specs/gone.md: there is no specs/gone.md',
      next: "provide it, or change it in the workflow and run `holdfast adopt`; then continue",
    });
  });

  it.each(["phase_transition", "phase_transition:frame->architect", "phase_start:architect", "step_start:architect"])(
    "one for %s stops the run behind that point, and not before it",
    async (trigger) => {
      const project = await started({
        always: [`id: gone, type: text, path: gone.txt, required: true, reload_triggers: ["${trigger}"]`],
      });
      expect((await advance(project)).value).toMatchObject({ step: "architect" });
      expect((await advance(project)).value.error).toMatchObject({
        code: "artifact-missing",
        message: expect.stringContaining('the required artifact "gone"'),
      });
    },
  );
});

describe("criterion: portable paths resolve", () => {
  it("the seed's specification is loaded on the way from architect to build, wherever the project lies", async () => {
    const project = faberProject();
    await start(project);
    await advance(project);
    const { value } = await advance(project, "--artifact", "spec_path=specs/258.md");
    expect(value).toMatchObject({ step: "build" });
    expect(value.artifacts).toContain("### specification: the spec\nspecs/258.md, 37 bytes");
    expect(value.artifacts).toContain("The button is blue.");
    expect(project.journal()).not.toContain(project.root);
  });

  it("each placeholder stands for what it says", async () => {
    const project = await started({
      always: [
        'id: a, type: text, path: "{project_root}/runs/{run_id}.txt"',
        'id: b, type: text, path: "work/{work_id}-{plan_id}.txt"',
      ],
    });
    const { runId } = (await project.json(["status"])).value;
    project.write(`runs/${runId}.txt`, "of this run\n");
    project.write("work/258-7.txt", "of this work\n");
    const { text } = (await prime(project)).value;
    expect(text).toContain("of this run");
    expect(text).toContain("of this work");
  });
});

describe("criterion: backward compatible", () => {
  it("a workflow without critical_artifacts behaves as before", async () => {
    const project = createProject();
    project.write(".holdfast/workflows/two.yaml", twoSteps);
    expect((await project.json(["start", "two"], mine)).value.artifacts).toBeUndefined();
    expect((await project.json(["next"], mine)).value.artifacts).toBeUndefined();
    expect((await project.json(["advance", "--output", "x"], mine)).value.artifacts).toBeUndefined();
    expect(project.journal()).not.toContain("artifacts-loaded");
    expect((await project.holdfast(["prime"], mine)).stdout).toBe("this workflow has no critical artifacts\n");
    expect(project.journal()).not.toContain("artifacts-loaded");
  });
});

describe("the budget", () => {
  it("lint warns of an artifact that a handoff cannot show whole", async () => {
    const project = faberProject({
      always: [
        "id: big, type: markdown, path: docs/big.md",
        "id: end, type: markdown, path: docs/big.md, load: pointer",
        "id: small, type: markdown, path: docs/protocol.md",
      ],
    });
    project.write("docs/big.md", "x".repeat(204_800));
    const { code, stdout } = await project.holdfast(["lint"]);
    expect([code, stdout.match(/has 204,800 bytes; above 3,000, a handoff may show only/g)?.length]).toEqual([0, 1]);
  });

  it("50 artifacts of 1 MB end in a text within the limit: what is required first, pointers for the rest", async () => {
    const megabyte = "All work and no play. \n".repeat(45_591);
    const always = Array.from({ length: 50 }, (_, index) => {
      const required = index % 10 === 9 ? "required: true, load: head_tail, max_bytes: 8000, " : "";
      return `id: big${index}, type: text, ${required}path: "big/${index}.txt", reload_triggers: [manual]`;
    });
    const project = await started({ always }, (fresh) => {
      for (const index of always.keys()) fresh.write(`big/${index}.txt`, megabyte);
    });
    const { value } = await prime(project);
    expect(value.text.length).toBeLessThanOrEqual(60_000);
    const loaded = value.artifacts.filter(({ status }: { status: string }) => status === "loaded");
    expect(loaded.map(({ id }: { id: string }) => id)).toEqual(["big9", "big19", "big29", "big39", "big49"]);
    expect(value.text).toContain("### big9 (required)");
    expect(value.text).toMatch(/### big0\nbig\/0\.txt, 1048593 bytes, sha256:[0-9a-f]{16}\. Not shown: /);
    expect(value.text).toContain("### big48\n");
  });
});
