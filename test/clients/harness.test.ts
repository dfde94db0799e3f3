import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleProgram } from "../../scripts/bundle-cli.ts";
import { createProject } from "../cli/program.ts";
import { startChatModel } from "./chat-model.ts";
import { chatText, chatToolNames, chatToolResults, isChatCompaction, lastChatText } from "./chat-request.ts";
import { openClaude, runClaude } from "./claude.ts";
import { startClaudeModel } from "./claude-model.ts";
import { claudeText, claudeToolNames, claudeToolResults, isCompaction, lastUserText } from "./claude-request.ts";
import { runCodex } from "./codex.ts";
import { startCodexModel } from "./codex-model.ts";
import { codexText, codexToolNames, codexToolResults } from "./codex-request.ts";
import { openCopilot, runCopilot } from "./copilot.ts";
import type { Reply } from "./reply.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-echo-"));
const echo = { command: process.execPath, args: [join(folder, "echo-server.mjs")] };
const mcpConfig = join(folder, "mcp.json");

beforeAll(async () => {
  await bundleProgram(join(folder, "echo-server.mjs"), "test/clients/fixtures/echo-server.ts");
  writeFileSync(mcpConfig, JSON.stringify({ mcpServers: { echo } }));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Calls the tool once, then says what came back. */
function repeatOnce(results: readonly string[]): Reply {
  if (results.length > 0) return { text: `It said: ${results.join()}` };
  return { calls: [{ name: "mcp__echo__repeat", input: { text: "kelp" } }] };
}

/** Of all processes on this machine. */
function commandLines(): string[] {
  return execFileSync("ps", ["-eo", "args="], { encoding: "utf8" }).split("\n");
}

describe("Claude Code", () => {
  it("offers the tools of a server, executes the call of the script and hands its result to the next request", async () => {
    const model = await startClaudeModel((request) => repeatOnce(claudeToolResults(request)));
    const turn = await runClaude("Say kelp", {
      project: createProject(),
      model,
      mcpConfig,
      allowedTools: ["mcp__echo__repeat"],
    });
    expect(turn).toMatchObject({ result: "It said: heard kelp", failed: false });
    expect(model.requests.map(claudeToolResults)).toEqual([[], ["heard kelp"]]);
    const [first] = model.requests.map(claudeToolNames);
    expect(first?.filter((name) => name.startsWith("mcp__"))).toEqual(["mcp__echo__count", "mcp__echo__repeat"]);
    expect(first).toContain("Bash");
  });

  it("does not execute a tool that is not allowed", async () => {
    const model = await startClaudeModel((request) => repeatOnce(claudeToolResults(request)));
    const turn = await runClaude("Say kelp", { project: createProject(), model, mcpConfig });
    expect(turn.result).toContain("permission");
    expect(turn.result).not.toContain("heard kelp");
  });

  it("compacts a live session between prompts, with the wish that was typed", async () => {
    const model = await startClaudeModel((request) =>
      isCompaction(request) ? { text: "<summary>The holdfast is red.</summary>" } : { text: "Noted." },
    );
    const session = await openClaude({ project: createProject(), model });
    const turns = [];
    // After a single exchange it refuses: not enough messages to compact.
    for (const text of ["The anchor is blue", "The rope is green", "/compact keep the colours", "And now?"])
      turns.push(await session.prompt(text));
    await session.close();

    expect(turns.map(({ result }) => result)).toEqual(["Noted.", "Noted.", "", "Noted."]);
    expect(new Set(turns.map((turn) => turn.session)).size).toBe(1);
    expect(turns[2]?.events).toContainEqual(expect.objectContaining({ subtype: "compact_boundary" }));
    expect(model.requests.map(isCompaction)).toEqual([false, false, true, false]);
    const texts = model.requests.map(claudeText);
    expect(texts[1]).toContain("The anchor is blue");
    expect(texts[2]).toContain("keep the colours");
    expect(texts[3]).toContain("The holdfast is red.");
    expect(texts[3]).not.toContain("The anchor is blue");
  });

  it("compacts by itself when the context is said to be full", async () => {
    const model = await startClaudeModel((request) =>
      lastUserText(request).includes("Fill it") ? { text: "Full.", inputTokens: 195_000 } : { text: "Noted." },
    );
    const session = await openClaude({
      project: createProject(),
      model,
      words: ["--model", "claude-sonnet-4-5"],
      env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" },
    });
    // With fewer exchanges it does not compact: it says that the prompt is too long.
    for (const text of ["The anchor is blue", "The rope is green", "Fill it"]) await session.prompt(text);
    const { result, events } = await session.prompt("And now?");
    expect(result).toBe("Noted.");
    expect(model.requests.map(isCompaction)).toEqual([false, false, false, true, false]);
    const automatic = expect.objectContaining({ trigger: "auto" });
    expect(events).toContainEqual(
      expect.objectContaining({ subtype: "compact_boundary", compact_metadata: automatic }),
    );
  });

  it("runs a hook of the settings, and what it prints reaches the model", async () => {
    const model = await startClaudeModel(() => ({ text: "Noted." }));
    const hook = { type: "command", command: "echo The tide is out" };
    const settings = JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [hook] }] } });
    await runClaude("Hello", { project: createProject(), model, settings });
    expect(model.requests.map(claudeText)).toEqual([expect.stringContaining("The tide is out")]);
  });

  it("loads a plugin with its server", async () => {
    const model = await startClaudeModel(() => ({ text: "Noted." }));
    const project = createProject();
    const manifest = project.write(
      "plugin/.claude-plugin/plugin.json",
      JSON.stringify({ name: "sea", version: "1.0.0" }),
    );
    project.write("plugin/.mcp.json", JSON.stringify({ mcpServers: { echo } }));
    await runClaude("Hello", { project, model, pluginDir: dirname(dirname(manifest)) });
    expect(model.requests.flatMap(claudeToolNames)).toContain("mcp__plugin_sea_echo__repeat");
  });

  it("goes on with the last session, or with a named one", async () => {
    const model = await startClaudeModel(() => ({ text: "Noted." }));
    const project = createProject();
    const { session } = await runClaude("The anchor is blue", { project, model });
    await runClaude("The rope is green", { project, model, resumes: "last" });
    await runClaude("And now?", { project, model, resumes: { session } });
    const last = model.requests.map(claudeText).at(-1);
    expect(last).toContain("The anchor is blue");
    expect(last).toContain("The rope is green");
  });

  it("shows what a script threw as the result of the turn", async () => {
    const model = await startClaudeModel(() => {
      throw new Error("the script has no answer");
    });
    const turn = await runClaude("Hello", { project: createProject(), model });
    expect(turn.failed).toBe(true);
    expect(turn.result).toContain("the script has no answer");
  });

  it("is stopped when it takes too long, and what it said is told", async () => {
    const model = await startClaudeModel(() => new Promise<Reply>(() => {}));
    const running = runClaude("Hello", { project: createProject(), model, timeoutMs: 3_000 });
    await expect(running).rejects.toThrow(/took more than 3000 ms to come to its end; it said:/);
  });

  describe("after a test that left a command running", () => {
    const sleep = `sleep 1000.${process.pid}`;

    it("runs one in the background of a live session", async () => {
      const model = await startClaudeModel((request) => {
        const input = { command: sleep, description: "Sleeps", run_in_background: true };
        return claudeToolResults(request).length > 0 ? { text: "Noted." } : { calls: [{ name: "Bash", input }] };
      });
      const session = await openClaude({ project: createProject(), model, mcpConfig, allowedTools: ["Bash"] });
      await session.prompt("Sleep");
      // The host does not wait until the command has begun.
      const both = [sleep, [echo.command, ...echo.args].join(" ")];
      await expect.poll(commandLines).toEqual(expect.arrayContaining(both));
    });

    it("leaves neither the command nor a server behind", async () => {
      const left = () => commandLines().filter((line) => line.includes(sleep) || line.includes(folder));
      await expect.poll(left).toEqual([]);
    });
  });

  it("tells why it did not start", async () => {
    const model = await startClaudeModel(() => ({ text: "Noted." }));
    const running = runClaude("Hello", { project: createProject(), model, words: ["--no-such-option"] });
    await expect(running).rejects.toThrow("unknown option '--no-such-option'");
  });
});

describe("Codex", () => {
  it("offers the tools of a server, executes the call of the script and hands its result to the next request", async () => {
    const model = await startCodexModel((request) => repeatOnce(codexToolResults(request)));
    const turn = await runCodex("Say kelp", { project: createProject(), model, mcpServers: { echo } });
    expect(turn.failed).toBe(false);
    expect(turn.message).toContain("heard kelp");
    const [before, after] = model.requests;
    if (before === undefined || after === undefined) throw new Error("two requests were seen");
    expect(codexText(before)).toContain("Say kelp");
    expect(codexToolNames(before)).toEqual(expect.arrayContaining(["mcp__echo__repeat", "mcp__echo__count"]));
    expect(codexToolResults(before)).toEqual([]);
    expect(codexToolResults(after)).toEqual([expect.stringContaining("heard kelp")]);
  });

  it("runs the hooks of a project that is trusted, and no others", async () => {
    const project = createProject();
    const context = { hookEventName: "SessionStart", additionalContext: "The tide is out" };
    const hook = { type: "command", command: `echo '${JSON.stringify({ hookSpecificOutput: context })}'` };
    project.write(".codex/hooks.json", JSON.stringify({ hooks: { SessionStart: [{ hooks: [hook] }] } }));
    const model = await startCodexModel(() => ({ text: "Noted." }));
    const words = ["--dangerously-bypass-hook-trust"];
    await runCodex("Hello", { project, model, words });
    await runCodex("Hello", { project, model, words, trust: "untrusted" });
    expect(model.requests.map((request) => codexText(request).includes("The tide is out"))).toEqual([true, false]);
  });

  it("shows what a script threw as the message of the turn", async () => {
    const model = await startCodexModel(() => {
      throw new Error("the script has no answer");
    });
    const turn = await runCodex("Hello", { project: createProject(), model });
    expect(turn.failed).toBe(true);
    expect(turn.message).toContain("the script has no answer");
  });
});

describe("Copilot CLI", () => {
  it("offers the tools of a server, executes the call of the script and hands its result to the next request", async () => {
    const project = createProject();
    project.write(".mcp.json", JSON.stringify({ mcpServers: { echo } }));
    const model = await startChatModel((request) => {
      const results = chatToolResults(request);
      if (results.length > 0) return { text: `It said: ${results.join()}` };
      return { calls: [{ name: "echo-repeat", input: { text: "kelp" } }] };
    });
    const turn = await runCopilot("Say kelp", { project, model });
    expect(turn.text).toBe("It said: heard kelp");
    expect(model.requests.map(chatToolResults)).toEqual([[], ["heard kelp"]]);
    expect(model.requests.map(chatToolNames)[0]).toEqual(expect.arrayContaining(["echo-repeat", "echo-count", "bash"]));
  });

  it("compacts a live session between prompts, with the wish that was typed", async () => {
    const model = await startChatModel((request) =>
      isChatCompaction(request) ? { text: "The holdfast is red." } : { text: "Noted." },
    );
    const session = await openCopilot({ project: createProject(), model });
    for (const text of ["The anchor is blue", "/compact keep the colours", "And now?"]) await session.prompt(text);
    await session.close();
    expect(model.requests.map(isChatCompaction)).toEqual([false, true, false]);
    const texts = model.requests.map(chatText);
    expect(texts[1]).toContain("keep the colours");
    expect(texts[2]).toContain("The holdfast is red.");
    expect(texts[2]).not.toContain("Noted.");
  });

  it("runs the hooks of a project that is trusted, and no others", async () => {
    const project = createProject();
    const hook = { type: "command", bash: `echo '${JSON.stringify({ additionalContext: "The tide is out" })}'` };
    project.write(".github/hooks/tide.json", JSON.stringify({ version: 1, hooks: { userPromptSubmitted: [hook] } }));
    const model = await startChatModel(() => ({ text: "Noted." }));
    await runCopilot("Hello", { project, model });
    await runCopilot("Hello", { project, model, trust: "untrusted" });
    expect(model.requests.map((request) => lastChatText(request).includes("The tide is out"))).toEqual([true, false]);
  });

  it("goes on with the last session, or with a named one", async () => {
    const model = await startChatModel(() => ({ text: "Noted." }));
    const project = createProject();
    const { session } = await runCopilot("The anchor is blue", { project, model });
    await runCopilot("The rope is green", { project, model, resumes: "last" });
    const live = await openCopilot({ project, model, resumes: { session } });
    await live.prompt("And now?");
    await live.close();
    const last = model.requests.map(chatText).at(-1);
    expect(last).toContain("The anchor is blue");
    expect(last).toContain("The rope is green");
  });
});
