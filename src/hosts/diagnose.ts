import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isHoldfastError } from "../errors.ts";
import { hasCode, unreadable } from "../platform/files.ts";
import { diagnosePlugin, pluginCalls } from "./claude/diagnose-plugin.ts";
import { isPluginOn, pluginFolder } from "./claude/find-plugin.ts";
import type { HostName } from "./contract.ts";
import { diagnoseFile, type FileState, fileState } from "./diagnose-file.ts";
import { diagnoseHooks, isCurrent } from "./diagnose-hooks.ts";
import { type Finding, mend } from "./finding.ts";
import { type FoundHook, type FoundHooks, findHooks, type SettingsText, wantedHooks } from "./found-hooks.ts";
import { callOf, type HookCall } from "./hook-call.ts";
import type { Host, HostFile } from "./host.ts";
import { textOf } from "./plan.ts";
import { readProjectFile } from "./project-file.ts";
import { shimFiles } from "./shim-files.ts";

/** How a host is set up in a project. */
export interface Diagnosis {
  readonly host: HostName;
  readonly title: string;
  readonly findings: readonly Finding[];
  /** Hooks that can be tried: only those that are ours to the letter, so that looking runs nobody else's commands. */
  readonly calls: readonly HookCall[];
  /** The shim that they run, which can be asked what it finds. */
  readonly shim: string | null;
}

export interface Surroundings {
  readonly project: string;
  readonly home: string;
  readonly version: string;
}

/** Null for a host that is not set up here. */
export function diagnoseHost(host: Host, around: Surroundings): Diagnosis | null {
  try {
    return examine(host, around);
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    const { name, title } = host;
    return { host: name, title, findings: [mend("files", error.message, error.next)], calls: [], shim: null };
  }
}

function examine(host: Host, around: Surroundings): Diagnosis | null {
  const { project } = around;
  const { name, title, files } = host;
  const hooksFile = files.find((file) => wantedHooks(file).length > 0);
  const wanted = hooksFile === undefined ? [] : wantedHooks(hooksFile);
  const settings = hooksFile === undefined ? [] : settingsTexts(host, hooksFile, around);
  const found = findHooks(settings);
  const plugin = name === "claude" && isPluginOn(settings.map(({ text }) => text).reverse());
  const servers = files.filter((file) => file !== hooksFile).map((file) => ({ file, state: stateIn(project, file) }));
  const inProject = found.hooks.length > 0 || servers.some(({ state }) => ["current", "older"].includes(state.type));
  if (!inProject && !plugin) return null;
  const again = `holdfast init --host ${name}`;
  const shims = shimFiles.map((file) => ({ file, state: stateIn(project, file) }));
  const sound = shims.every(({ state }) => state.type === "current");
  const root = plugin ? pluginFolder(readIfThere(join(around.home, ".claude/plugins/installed_plugins.json"))) : null;
  const calls = inProject && sound ? callsOf(found, wanted, project) : [];
  return {
    host: name,
    title,
    findings: [
      ...(plugin ? diagnosePlugin(root, around.version) : []),
      ...diagnoseHooks(host, wanted, found, plugin),
      ...(inProject ? servers : []).map(({ file, state }) => diagnoseFile("MCP server", file, state, again)),
      ...(inProject ? shims : []).flatMap(({ file, state }) =>
        state.type === "current" ? [] : [diagnoseFile("shims", file, state, again)],
      ),
    ],
    calls: calls.length === 0 && root !== null ? pluginCalls(root) : calls,
    shim: inProject ? (sound ? join(project, ".holdfast/hook.mjs") : null) : root && join(root, "hook.mjs"),
  };
}

/** Every file in which the host looks for hooks, the nearest first. */
function settingsTexts({ name }: Host, { path }: HostFile, { project, home }: Surroundings): SettingsText[] {
  const near = [path, ...(name === "claude" ? [".claude/settings.local.json"] : [])];
  return [
    ...near.map((file) => ({ file, text: textIn(project, file) })),
    { file: `~/${path}`, text: readIfThere(join(home, path)) },
  ];
}

function stateIn(project: string, file: HostFile): FileState {
  return fileState(file, textIn(project, file.path));
}

function textIn(project: string, path: string): string | null {
  return textOf(readProjectFile(project, path)?.bytes ?? null);
}

function readIfThere(path: string): string | null {
  try {
    return existsSync(path) ? readFileSync(path, "utf8") : null;
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "EISDIR")) return null;
    throw unreadable(path, cause);
  }
}

function callsOf({ hooks }: FoundHooks, wanted: readonly FoundHook[], project: string): HookCall[] {
  const current = hooks.filter((hook) => isCurrent(hook, wanted));
  return ["PreCompact", "SessionStart"].flatMap((event) => {
    const hook = current.find((each) => each.event === event);
    return hook === undefined ? [] : [callOf(event, hook.entry, project)];
  });
}
