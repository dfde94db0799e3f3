import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { Project } from "../cli/program.ts";
import { apiEnvironment } from "./claude.ts";
import type { ClaudeModel } from "./claude-model.ts";
import { endProcesses } from "./end-processes.ts";
import { claudeProgram, claudeVersions } from "./programs.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

export interface ClaudeTerminalOptions {
  readonly project: Project;
  readonly model: ClaudeModel;
  readonly columns?: number;
  readonly rows?: number;
  /** The project's top, unless another folder is named. */
  readonly cwd?: string;
  /** What the person has answered about the servers in `.mcp.json`; unanswered, Claude Code asks. */
  readonly servers?: "approved" | "declined" | "unanswered";
  /** Further words of the command line, such as `--continue`, or a first prompt. */
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly version?: string;
}

/** The real Claude Code as a person has it before them. */
export interface ClaudeTerminal extends Terminal {
  /** Types a prompt, or a command such as `/clear`, and sends it. */
  say(text: string): Promise<void>;
  /** Presses a key that Claude Code does not take right after it has drawn something, until the screen shows its effect. */
  pressUntil(key: string, effect: RegExp): Promise<void>;
}

/** Starts Claude Code in a terminal, past its questions about theme, key and trust, and waits for its prompt. */
export async function openClaudeTerminal(options: ClaudeTerminalOptions): Promise<ClaudeTerminal> {
  const { project, model, cwd = project.root, words = [], env = {}, version = claudeVersions.newest } = options;
  rememberAnswers(options, cwd);
  const temporary = join(project.home, "tmp");
  mkdirSync(temporary, { recursive: true });
  onTestFinished(() => endProcesses(project.home));
  const terminal = await openTerminal({
    ...(options.columns === undefined ? {} : { columns: options.columns }),
    ...(options.rows === undefined ? {} : { rows: options.rows }),
    cwd,
    env: { ...project.env, TMPDIR: temporary, ...apiEnvironment(model), ...env },
    command: [await claudeProgram(version), ...words],
  });
  if (options.servers !== "unanswered") await terminal.waitFor(prompt);
  return {
    ...terminal,
    async say(text) {
      await terminal.type(text);
      const isAtPrompt = async () => isTyped(await terminal.screen(), text);
      await reaches(isAtPrompt, takenMs);
      // Enter that arrives together with the text is taken as part of it. A second Enter waits long enough
      // for a busy machine: in a menu that the first has opened, it would choose an entry.
      for (let tries = 0; tries < mostTries; tries++) {
        await pause(lookMs);
        await terminal.press("Enter");
        if (await reaches(async () => !(await isAtPrompt()), takenMs)) return;
      }
    },
    async pressUntil(key, effect) {
      for (let tries = 0; tries < mostTries; tries++) {
        await terminal.press(key);
        if (await reaches(async () => effect.test(await terminal.screen()), takenMs)) return;
      }
      await terminal.waitFor(effect);
    },
  };
}

const lookMs = 300;
const takenMs = 10_000;
const mostTries = 3;

/** Looks until something holds; false when it did not within the time. */
async function reaches(holds: () => Promise<boolean>, ms: number): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; await pause(lookMs)) if (await holds()) return true;
  return false;
}

/** Whether the text still stands at the prompt. */
function isTyped(screen: string, text: string): boolean {
  const last = screen.split("\n").findLast((line) => line.startsWith("❯"));
  return last?.slice(1).trimStart().startsWith(text.slice(0, 40)) === true;
}

const prompt = /^❯/m;

/** What a person has answered when Claude Code was started here for the first time. */
function rememberAnswers({ project, servers = "approved" }: ClaudeTerminalOptions, cwd: string): void {
  const answers = {
    ...(servers === "approved" ? { enabledMcpjsonServers: ["holdfast"] } : {}),
    ...(servers === "declined" ? { disabledMcpjsonServers: ["holdfast"] } : {}),
    hasTrustDialogAccepted: true,
  };
  const file = join(project.home, ".claude.json");
  const config = {
    ...(existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}),
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: ["dummy"] },
    projects: { [project.root]: answers, [cwd]: answers },
  };
  writeFileSync(file, JSON.stringify(config));
}
