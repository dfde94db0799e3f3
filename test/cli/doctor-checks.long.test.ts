import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { packageVersion } from "../package-version.ts";
import { examine, hasRun, install, mend, setUp, well } from "./doctor-findings.ts";
import { type Calling, createProject, type Project, twoSteps } from "./program.ts";

const settings = ".claude/settings.json";

// biome-ignore lint/suspicious/noExplicitAny: the shape is the host's, and what is changed in it is spelt out
function change(project: Project, file: string, edit: (value: any) => void): void {
  const value = JSON.parse(project.read(file));
  edit(value);
  project.write(file, JSON.stringify(value, null, 2));
}

const noHoldfast = mend(
  "shims",
  "they cannot find Holdfast",
  "npm install --save-dev holdfast, or npm install --global holdfast",
);

describe("the doctor finds, and says how to mend:", () => {
  it("nothing is set up", async () => {
    const project = createProject();
    expect((await project.json(["doctor"])).code).toBe(1);
    expect(await examine(project, "Agent")).toEqual([
      mend("hooks", "no agent program is set up in this project", "holdfast init"),
    ]);
    expect(readdirSync(project.root)).toEqual([]);
  });

  it("a hook is missing", async () => {
    const project = await setUp();
    change(project, settings, ({ hooks }) => {
      hooks.PreCompact = undefined;
      hooks.Stop = [];
    });
    expect(await examine(project, "Claude Code")).toContainEqual(
      mend("hooks", "missing for PreCompact, Stop", "holdfast init --host claude"),
    );
    await project.holdfast(["init", "--host", "claude", "--yes"]);
    expect(await examine(project, "Claude Code")).toContainEqual(well("hooks", "7, each once (.claude/settings.json)"));
  });

  it("a hook is there twice in one file", async () => {
    const project = await setUp();
    change(project, settings, ({ hooks }) => hooks.SessionStart.push(hooks.SessionStart[0]));
    expect(await examine(project, "Claude Code")).toContainEqual(
      mend("hooks", "twice for SessionStart: both in .claude/settings.json", "holdfast init --host claude"),
    );
  });

  it("all hooks are there again in the settings of one person", async () => {
    const project = await setUp();
    project.write(".claude/settings.local.json", project.read(settings));
    expect(await examine(project, "Claude Code")).toContainEqual(
      mend(
        "hooks",
        "twice for SessionStart, UserPromptSubmit, PostToolUse, PreCompact, PostCompact, Stop, SessionEnd: " +
          "in .claude/settings.json and in .claude/settings.local.json",
        "remove them from .claude/settings.local.json",
      ),
    );
  });

  it("a hook is there by hand, too", async () => {
    const project = await setUp();
    const entry = { type: "command", command: "holdfast hook --host claude PreCompact" };
    change(project, settings, ({ hooks }) => hooks.PreCompact.push({ hooks: [entry] }));
    expect(await examine(project, "Claude Code")).toContainEqual(
      mend(
        "hooks",
        "twice for PreCompact: both in .claude/settings.json",
        "remove the one that was added by hand from .claude/settings.json",
      ),
    );
  });

  it("a plugin is enabled but not installed; beside the hooks of the project it would be fine", async () => {
    const project = await setUp();
    project.write("../home/.claude/settings.json", JSON.stringify({ enabledPlugins: { "holdfast@holdfast": true } }));
    const findings = await examine(project, "Claude Code");
    expect(findings[0]).toEqual(
      mend("plugin", "it is enabled but not installed", "install or disable it with /plugin"),
    );
    expect(findings[1]).toEqual(well("hooks", "7, each once (.claude/settings.json, beside the plugin)"));
  });

  it("a hook has the wrong path", async () => {
    const project = await setUp();
    change(project, settings, ({ hooks }) => {
      hooks.SessionStart[0].hooks[0].args[0] = "/home/ann/old/.holdfast/hook.mjs";
    });
    expect(await examine(project, "Claude Code")).toContainEqual(
      mend("hooks", "wrong path for SessionStart: /home/ann/old/.holdfast/hook.mjs", "holdfast init --host claude"),
    );
  });

  it("a hook is of an older version", async () => {
    const project = await setUp();
    change(project, settings, ({ hooks }) => {
      hooks.PreCompact[0].hooks[0].timeout = 60;
    });
    expect(await examine(project, "Claude Code")).toContainEqual(
      mend("hooks", "written by another version: PreCompact", "holdfast init --host claude"),
    );
  });

  it("hooks call the MCP server, as earlier versions wrote them", async () => {
    const project = await setUp();
    change(project, settings, ({ hooks }) => {
      for (const event of ["UserPromptSubmit", "PostToolUse", "Stop"])
        hooks[event][0].hooks = [{ type: "mcp_tool", server: "holdfast", tool: "hook", input: { event }, timeout: 10 }];
      hooks.SessionEnd[0].hooks[0].args[0] = `\${CLAUDE_PROJECT_DIR}/.holdfast/hook.mjs`;
    });
    const message = "written by another version: UserPromptSubmit, PostToolUse, Stop, SessionEnd";
    expect(await examine(project, "Claude Code")).toContainEqual(mend("hooks", message, "holdfast init --host claude"));
    await project.holdfast(["init", "--host", "claude", "--yes"]);
    expect((await examine(project, "Claude Code")).filter(({ name }) => name === "hooks")).toMatchObject([
      { status: "well" },
    ]);
  });

  it("the settings cannot be read", async () => {
    const project = await setUp();
    project.write(settings, '{\n  "hooks": {,\n');
    expect(await examine(project, "Claude Code")).toContainEqual(
      mend("hooks", ".claude/settings.json, line 2, column 13: value expected", "fix .claude/settings.json by hand"),
    );
  });

  it("the MCP entry is missing, or someone else's", async () => {
    const project = await setUp();
    project.write(".mcp.json", "{}");
    expect(await examine(project, "Claude Code")).toContainEqual(
      mend("MCP server", "missing in .mcp.json", "holdfast init --host claude"),
    );
    project.write(".mcp.json", '{ "mcpServers": { "holdfast": { "command": "other", "args": [] } } }');
    expect(await examine(project, "Claude Code")).toContainEqual(
      mend(
        "MCP server",
        '.mcp.json already has another server named "holdfast"; it was not changed',
        "rename that entry, then: holdfast init --host claude",
      ),
    );
  });

  it("a shim is gone or old, and nothing is run then", async () => {
    const project = await setUp();
    project.write(".holdfast/hook.mjs", '// Made by "holdfast init"\nthrow new Error("never run");\n');
    expect(await examine(project, "Claude Code")).toEqual([
      well("hooks", "7, each once (.claude/settings.json)"),
      well("MCP server", ".mcp.json"),
      mend("shims", ".holdfast/hook.mjs has an older version", "holdfast init --host claude"),
      { name: "tried", status: "note", message: "skipped, because the shims have to be fixed first" },
    ]);
  });

  it("the shims find no Holdfast, or another version", async () => {
    const project = await setUp();
    expect(await examine(project, "Claude Code")).toContainEqual(noHoldfast);
    install(project, "node_modules/holdfast", "9.9.9");
    const home = join(project.root, "node_modules/holdfast");
    expect(await examine(project, "Claude Code")).toContainEqual(
      mend(
        "shims",
        `they start Holdfast 9.9.9 in ${home}, but this is ${packageVersion}`,
        "install the same version in both places with npm",
      ),
    );
    expect(hasRun(project)).toBe(false);
  });

  it("the shims find a Holdfast that is not this one, which is named and not run", async () => {
    const project = await setUp();
    const home = install(project, "node_modules/holdfast", packageVersion);
    expect((await examine(project, "Claude Code")).slice(-1)).toEqual([
      {
        name: "shims",
        status: "note",
        message: `they start ${home}, which is not this installation, so the hooks were not tried`,
        next: `to try them: node ${home}/dist/bin/holdfast.js doctor`,
      },
    ]);
    expect(hasRun(project)).toBe(false);
  });

  it("the project's own settings are wrong", async () => {
    const project = createProject();
    project.write(".holdfast/config.yaml", "cards: perhaps\n");
    expect((await examine(project, "Here"))[0]).toMatchObject({
      name: "settings",
      status: "mend",
      next: "fix it; until then the defaults apply",
    });
  });

  it("a hook answers the host's dialogs in the person's place", async () => {
    const project = await setUp();
    const hook = { hooks: [{ type: "command", command: "answer-all" }] };
    const file = project.write(".claude/settings.local.json", JSON.stringify({ hooks: { Elicitation: [hook] } }));
    expect(await examine(project, "Here")).toContainEqual({
      name: "dialog",
      status: "note",
      message: `a hook in ${file} answers the dialogs of Claude Code, so what is answered there does not count as yours`,
      next: "answer in a terminal: holdfast approve, holdfast answer, holdfast decide",
    });
  });

  it("a run is damaged", async () => {
    const project = createProject();
    project.write("flow.yaml", twoSteps);
    const { value } = await project.json(["start", "flow.yaml"]);
    project.write(join(relative(project.root, project.runFolder()), "journal.jsonl"), "no journal\n");
    expect((await examine(project, "Here"))[0]).toMatchObject({
      name: "run",
      status: "mend",
      next: `holdfast repair ${value.runId}`,
    });
  });
});

describe("the doctor says what would be restored, and why:", () => {
  const start = ["start", "flow.yaml"];
  const runOf = async (project: Project, calling?: Calling) =>
    (await examine(project, "Here", calling)).find(({ name }) => name === "run");

  it("the only live run", async () => {
    const project = createProject();
    project.write("flow.yaml", twoSteps);
    const { value } = await project.json(start);
    expect(await runOf(project)).toEqual(
      well("run", `${value.runId} (two-steps) would be restored: it is the only live run`),
    );
  });

  it("the newest of two, and how to choose; or the one that the session sits in", async () => {
    const project = createProject();
    project.write("flow.yaml", twoSteps);
    const { value: first } = await project.json([...start, "--session", "s1"]);
    const { value: second } = await project.json([...start, "--new"]);
    expect(await runOf(project)).toEqual({
      name: "run",
      status: "note",
      message: `${second.runId} (two-steps) would be restored: it is the newest of 2 live runs; also live: ${first.runId}; a command without --run is refused`,
      next: "call workflow_status with a run_id, or end the other run: holdfast abort --run <id>",
    });
    expect(await runOf(project, { env: { CLAUDE_CODE_SESSION_ID: "s1" } })).toEqual(
      well(
        "run",
        `${first.runId} (two-steps) would be restored: this session is bound to it; also live: ${second.runId}`,
      ),
    );
  });

  it("a workflow that exists only as text, and why others do not count", async () => {
    const project = createProject();
    project.write("CLAUDE.local.md", "Notes on nothing\n");
    project.write(
      "CLAUDE/Plan/066-pages/PLAN.md",
      "# Plan 066: Pages\n\n**Status**: In Progress\n\nPhase: 2/3 - Draft\n",
    );
    project.write("CLAUDE/Plan/067-prose/PLAN.md", "# Plan 067: Prose\n\n**Status**: In Progress\n\nJust write it.\n");
    expect((await examine(project, "Here")).slice(1)).toEqual([
      well(
        "tracked",
        "Pages, phase 2/3 Draft: CLAUDE/Plan/066-pages/PLAN.md describes it; the next compaction creates a card",
      ),
      {
        name: "passed over",
        status: "note",
        message: 'CLAUDE.local.md: no workflow found (no heading that names one, no "Workflow:" or "Phase:" line)',
      },
      {
        name: "passed over",
        status: "note",
        message: "CLAUDE/Plan/067-prose/PLAN.md: the plan is in progress, but mentions no phase or workflow",
      },
    ]);
  });

  it("a tracked workflow that someone keeps, behind a run", async () => {
    const project = createProject();
    project.write("flow.yaml", twoSteps);
    await project.holdfast(["track", "start", "QA Loop", "--phase", "2/3"]);
    await project.holdfast(start);
    expect((await examine(project, "Here")).slice(1)).toEqual([
      well("tracked", "QA Loop, phase 2/3: it has a state card; the run takes precedence"),
    ]);
  });
});
