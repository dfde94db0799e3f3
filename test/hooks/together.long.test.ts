import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Project } from "../cli/program.ts";
import { serve } from "../mcp/serve.ts";
import { session } from "./events.ts";
import { contextOf, type HookEnded, runHook } from "./hook-program.ts";
import { agentsReminder, cardOf, cardsOf, eventsOf, startedProject } from "./run-project.ts";

const another = "5e551077-aaaa-4bbb-8ccc-000000000002";

const vias = ["project", "plugin", "user"];

/** Tells of one moment from the hooks of every session at once, the project's, the plugin's and the person's own. */
async function atOnce(
  project: Project,
  event: string,
  sessions: readonly string[],
  input: Readonly<Record<string, unknown>>,
): Promise<HookEnded[]> {
  const calls = sessions.flatMap((id) =>
    vias.map((via) => runHook(project, event, { session_id: id, ...input }, { via })),
  );
  return Promise.all(calls);
}

function told(ended: readonly HookEnded[]): number {
  return ended.filter(({ stdout }) => stdout !== "").length;
}

describe("two sessions that compact at the same moment", () => {
  it("lose nothing: each compaction is in the journal once, and the card is whole", async () => {
    const project = await startedProject();
    // A second session comes into the same run.
    await project.json(["next"], { env: { HOLDFAST_SESSION: another } });
    for (let round = 1; round <= 3; round++) {
      const saved = await atOnce(project, "PreCompact", [session, another], { trigger: "auto" });
      expect(saved.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
      expect(told(saved)).toBe(2);
      const restored = await atOnce(project, "SessionStart", [session, another], { source: "compact" });
      expect(told(restored)).toBe(2);
      const began = eventsOf(project).filter(({ type }) => type === "compaction-began");
      expect(began.map(({ session: id }) => id).sort()).toEqual(
        [session, another].flatMap((id) => Array.from({ length: round }, () => id)),
      );
      expect(cardsOf(project)).toHaveLength(1);
      expect(cardOf(project).value).toMatchObject({ key_reminders: ["Run the tests", agentsReminder], mood: "calm" });
    }
    const { code } = await project.json(["repair", basename(project.runFolder())]);
    expect(code).toBe(0);
  });
});

describe("one session with the hooks of the project, of the plugin and of the person", () => {
  it("is counted once for everything that happens, side by side or one after the other", async () => {
    const project = await startedProject();
    const restored = await atOnce(project, "SessionStart", [session], { source: "resume" });
    expect(told(restored)).toBe(1);
    const stopped = await atOnce(project, "Stop", [session], { stop_hook_active: false });
    expect(stopped.filter(({ answer }) => answer?.decision === "block")).toHaveLength(1);
    for (const via of vias) {
      await runHook(project, "SessionEnd", { session_id: session, reason: "other" }, { via });
    }
    const types = eventsOf(project).map(({ type }) => type);
    expect(types.filter((type) => type === "session-ended")).toHaveLength(1);
  });

  it("is not told again by a prompt once the agent has called its server", async () => {
    const project = await startedProject();
    await runHook(project, "PreCompact", { session_id: session, trigger: "auto" });
    const server = await serve(project, { env: { HOLDFAST_SESSION: session } });
    await server.ok("workflow_status");
    expect((await runHook(project, "UserPromptSubmit", { session_id: session })).stdout).toBe("");
    await server.close();
    await runHook(project, "PreCompact", { session_id: session, trigger: "auto" });
    expect(contextOf(await runHook(project, "UserPromptSubmit", { session_id: session }))).toContain("CONTINUE HERE");
    expect((await runHook(project, "UserPromptSubmit", { session_id: session })).stdout).toBe("");
  });
});

describe("a project from somewhere else", () => {
  it("cannot make a hook write into files of the user's through links", async () => {
    const project = await startedProject();
    const secret = join(project.home, "profile");
    writeFileSync(secret, "mine\n".repeat(200_000));
    symlinkSync(secret, join(project.root, ".holdfast/hooks.log"));
    project.write(".holdfast/config.yaml", "cards: [\n");
    const ended = await runHook(project, "SessionStart", { session_id: session, source: "compact" });
    expect(ended.answer.systemMessage).toMatch(/^Holdfast: \.holdfast\/config\.yaml: /);
    expect(readFileSync(secret, "utf8")).toBe("mine\n".repeat(200_000));
  });

  it("cannot put signs on the user's terminal", async () => {
    const project = await startedProject();
    project.write(".holdfast/config.yaml", '"\\e[2J\\u202Eevil": 1\n');
    const { answer } = await runHook(project, "SessionStart", { session_id: session, source: "compact" });
    expect(answer.systemMessage).toBe('Holdfast: .holdfast/config.yaml: the file: Unrecognized key: "evil"');
  });

  it("says what is wrong with its settings when a session starts, and not at every turn", async () => {
    const project = await startedProject();
    project.write(".holdfast/config.yaml", "cards: { folder: ../cards }\n");
    const started = await runHook(project, "SessionStart", { session_id: session, source: "compact" });
    expect(started.answer.systemMessage).toBe(
      "Holdfast: .holdfast/config.yaml: cards.folder: must be inside the project",
    );
    const input = { session_id: session, tool_name: "Write", tool_input: { file_path: "a.md" } };
    expect((await runHook(project, "PostToolUse", input)).stdout).toBe("");
    expect(project.read(".holdfast/hooks.log").trim().split("\n")).toHaveLength(2);
  });
});
