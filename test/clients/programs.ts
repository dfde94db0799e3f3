import { dirname, join } from "node:path";
import * as z from "zod";
import { architecture, findInstalled, installedProgram, type Wanted } from "../installed-program.ts";

/** Most tests pin the older one; it lists every tool in its requests, which the newer one does only on demand. */
export const claudeVersions = { pinned: "2.1.197", newest: "2.1.325" } as const;
export const codexVersion = "0.166.0";
export const copilotVersion = "1.0.102";
export const opencodeVersion = "1.18.33";
/** The newest that is published for these machines. */
const opencodeOnArm = "1.18.18";

/** The path of a Claude Code, installed on first use. */
export function claudeProgram(claudeVersion: string = claudeVersions.pinned): Promise<string> {
  return installedProgram(claudePackage(claudeVersion));
}

/** The path of a Claude Code that is installed already; null if it is not. */
export function installedClaude(claudeVersion: string): string | null {
  return findInstalled(claudePackage(claudeVersion));
}

function claudePackage(claudeVersion: string): Wanted {
  const name = `@anthropic-ai/claude-code-linux-${architecture()}${usesMusl() ? "-musl" : ""}`;
  return {
    folder: `claude-code-${claudeVersion}`,
    package: `${name}@${claudeVersion}`,
    binary: `node_modules/${name}/claude`,
  };
}

/** With these it talks to the model at this address, and to nobody else. */
export function claudeEnvironment(url: string): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "dummy",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
  };
}

/** The path of the pinned Codex, installed on first use. Its one Linux build is static and runs on every libc. */
export function codexProgram(): Promise<string> {
  const target = { x64: "x86_64-unknown-linux-musl", arm64: "aarch64-unknown-linux-musl" }[architecture()];
  return installedProgram({
    folder: `codex-${codexVersion}`,
    // The native builds are versions of the same package, told apart by a suffix.
    package: `@openai/codex@${codexVersion}-linux-${architecture()}`,
    binary: `node_modules/@openai/codex/vendor/${target}/bin/codex`,
  });
}

/** The path of the pinned Copilot CLI, installed on first use. */
export function copilotProgram(): Promise<string> {
  const name = `@github/copilot-linux${usesMusl() ? "musl" : ""}-${architecture()}`;
  return installedProgram({
    folder: `copilot-${copilotVersion}`,
    package: `${name}@${copilotVersion}`,
    binary: `node_modules/${name}/copilot`,
  });
}

/** It unpacks itself on first use, into one folder for all tests; and it looks for nothing on the network. */
export function copilotEnvironment(program: string): Record<string, string> {
  return {
    COPILOT_PKG_CACHE_HOME: join(dirname(program), "unpacked"),
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
  };
}

/** The path of the pinned opencode, installed on first use. Its baseline build runs on every x64 processor. */
export function opencodeProgram(): Promise<string> {
  const build = { x64: "x64-baseline", arm64: "arm64" }[architecture()];
  const version = { x64: opencodeVersion, arm64: opencodeOnArm }[architecture()];
  const name = `opencode-linux-${build}${usesMusl() ? "-musl" : ""}`;
  return installedProgram({
    folder: `opencode-${version}`,
    package: `${name}@${version}`,
    binary: `node_modules/${name}/bin/opencode`,
  });
}

const report = z.object({ header: z.object({ glibcVersionRuntime: z.string().optional() }) });

function usesMusl(): boolean {
  return report.parse(process.report.getReport()).header.glibcVersionRuntime === undefined;
}
