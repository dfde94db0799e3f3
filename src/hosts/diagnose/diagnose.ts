import { existsSync } from "node:fs";
import { join } from "node:path";
import { isHoldfastError } from "../../errors.ts";
import { readTextIfExists } from "../../platform/files.ts";
import { sizeLimits } from "../../platform/size-limits.ts";
import { hookEvents } from "../contract/contract.ts";
import { type Finding, mend } from "../contract/finding.ts";
import { callOf, type HookCall } from "../contract/hook-call.ts";
import type { Host, HostFile, HostPlugin } from "../contract/host.ts";
import { type HostName, hostNames } from "../contract/names.ts";
import { projectVariables } from "../contracts.ts";
import {
  type FoundHook,
  type FoundHooks,
  findHooks,
  type SettingsText,
  wantedHooks,
  wordsOf,
} from "../entries/found-hooks.ts";
import { hosts } from "../hosts.ts";
import { textOf } from "../install/plan.ts";
import { asNamedHere, readProjectFile } from "../install/project-file.ts";
import { isHome } from "../install/project-root.ts";
import { shimFiles } from "../shims/shim-files.ts";
import { shims } from "../shims/shims.ts";
import { diagnoseFile, type FileState, fileState } from "./diagnose-file.ts";
import { diagnoseHooks, isCurrent } from "./diagnose-hooks.ts";

/** How a host is set up in a project. */
export interface Diagnosis {
  readonly host: HostName;
  readonly title: string;
  readonly findings: readonly Finding[];
  /** Whether the project itself is set up, and not only a plugin. */
  readonly inProject: boolean;
  /** Hooks that can be run: only those that match ours exactly, so that no foreign command is run. */
  readonly calls: readonly HookCall[];
  /** The shim that they run, which can report its version. */
  readonly shim: string | null;
}

export interface Surroundings {
  readonly project: string;
  readonly home: string;
  readonly version: string;
}

/** The version of the package in a folder, which is only read; null if it does not say. */
export function versionIn(folder: string): string | null {
  const file = join(folder, "package.json");
  const text = existsSync(file)
    ? readTextIfExists(file, sizeLimits.settings, "EISDIR", "ENXIO", "EFBIG", "E2BIG")
    : null;
  return /"version":\s*"([^"]+)"/.exec(text ?? "")?.[1] ?? null;
}

/** Null if the host is not set up here. */
export function diagnoseHost(host: Host, around: Surroundings): Diagnosis | null {
  try {
    return examine(host, around);
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    const { name, title } = host;
    return {
      host: name,
      title,
      findings: [mend("files", error.message, error.next)],
      inProject: false,
      calls: [],
      shim: null,
    };
  }
}

function examine(host: Host, around: Surroundings): Diagnosis | null {
  const { name, title } = host;
  const facts = gather(host, around);
  const { found, wanted, plugin } = facts;
  const own = facts.others.filter(({ file }) => isOwn(host, file, around));
  const inProject = found.hooks.length > 0 || own.some(({ state }) => ["current", "older"].includes(state.type));
  if (!inProject && plugin === null) return null;
  const root = plugin?.folderIn(readIfVisible(join(around.home, plugin.list))) ?? null;
  const findings = [
    ...(plugin?.diagnose(root, around.version) ?? []),
    ...(wanted.length === 0 ? [] : diagnoseHooks(host, wanted, found, plugin !== null)),
    ...(inProject ? diagnoseFiles(host, facts) : []),
  ];
  if (!inProject) {
    const calls = root === null ? [] : (plugin?.calls(root) ?? []);
    return { host: name, title, findings, inProject, calls, shim: root === null ? null : shimOf(root) };
  }
  const sound = facts.shims.every(({ state }) => state.type === "current");
  const calls = sound ? [...callsOf(host, facts, around), ...callsByPlugin(host, facts, around)] : [];
  const shim = sound ? join(around.project, ".holdfast/hook.cjs") : null;
  return { host: name, title, findings, inProject, calls, shim };
}

/** The shim of a plugin; null for one of another version, which would start Holdfast when it is only asked about it. */
function shimOf(root: string): string | null {
  const shim = join(root, "hook.cjs");
  return readIfVisible(shim) === shims["hook.cjs"] ? shim : null;
}

/** Two hosts may share a list of servers. It is a sign of the first one, unless the hooks of the other are set up. */
function isOwn(host: Host, file: HostFile, around: Surroundings): boolean {
  const [first, ...others] = hostNames.map((name) => hosts[name]).filter(({ files }) => files.includes(file));
  return first === host && others.every((other) => gather(other, around).found.hooks.length === 0);
}

interface Facts {
  readonly wanted: readonly FoundHook[];
  readonly found: FoundHooks;
  /** Null if it is not enabled here. */
  readonly plugin: HostPlugin | null;
  /** Its files without entries for hooks. */
  readonly others: readonly Stated[];
  readonly shims: readonly Stated[];
}

interface Stated {
  readonly file: HostFile;
  readonly state: FileState;
}

function gather(host: Host, around: Surroundings): Facts {
  const stated = (each: HostFile) => {
    const file = asNamedHere(around.project, each);
    return { file, state: fileState(file, textIn(around.project, file.path)) };
  };
  const hooksFiles = host.files.filter((file) => wantedHooks(file).length > 0);
  const settings = hooksFiles.flatMap((file) => settingsTexts(host, file, around));
  return {
    wanted: hooksFiles.flatMap(wantedHooks),
    found: forProject(findHooks(settings)),
    plugin: host.plugin?.isOn(settings.map(({ text }) => text)) ? host.plugin : null,
    others: host.files.filter((file) => !hooksFiles.includes(file)).map(stated),
    shims: shimFiles.map(stated),
  };
}

/** Without the hooks of `init --user`: beside those, each event is still handled once. */
function forProject({ hooks, problems }: FoundHooks): FoundHooks {
  return {
    hooks: hooks.filter((hook) => !/ --via user /.test(wordsOf(hook))),
    problems,
  };
}

function diagnoseFiles({ name }: Host, { others, shims }: Facts): Finding[] {
  const again = `holdfast init --host ${name}`;
  const unsound = shims.filter(({ state }) => state.type !== "current");
  return [
    ...others.filter(isWorthTelling).map(({ file, state }) => diagnoseFile(nameOf(file), file, state, again)),
    ...unsound.map(({ file, state }) => diagnoseFile("shims", file, state, again)),
  ];
}

function nameOf({ holds = "MCP server" }: HostFile): string {
  return holds;
}

/** There are several files with commands, and hosts work without them. */
function isWorthTelling({ file, state }: Stated): boolean {
  return file.holds !== "commands" || state.type !== "current";
}

/** Every file in which the host looks for hooks: of the project, of this user for the project, and of this user for all. */
function settingsTexts(
  { otherSettings = [] }: Host,
  { path }: HostFile,
  { project, home }: Surroundings,
): SettingsText[] {
  const near = [path, ...otherSettings];
  const ofUser = isHome(project, home) ? [] : [{ file: `~/${path}`, text: readIfVisible(join(home, path)) }];
  return [...near.map((file) => ({ file, text: textIn(project, file) })), ...ofUser];
}

function textIn(project: string, path: string): string | null {
  return textOf(readProjectFile(project, path)?.bytes ?? null);
}

/** `existsSync` is also false if a parent folder is not readable. */
function readIfVisible(path: string): string | null {
  return existsSync(path) ? readTextIfExists(path, sizeLimits.hostFile, "EISDIR") : null;
}

function callsOf({ name }: Host, { found, wanted }: Facts, { project }: Surroundings): HookCall[] {
  const current = found.hooks.filter((hook) => isCurrent(hook, wanted));
  return hookEvents.flatMap((event) => {
    const hook = current.find((each) => each.event === event);
    return hook === undefined ? [] : [callOf(event, hook.entry, projectVariables(name, project))];
  });
}

/** A plugin that is exactly ours starts the shim itself, so that is started here; the plugin never is. */
function callsByPlugin({ name }: Host, { others }: Facts, { project }: Surroundings): HookCall[] {
  if (!others.some(({ file, state }) => file.holds === "plugin" && state.type === "current")) return [];
  const shim = join(project, ".holdfast/hook.cjs");
  return ["PreCompact", "SessionStart"].map((event) => ({
    event,
    command: "node",
    args: [shim, "--host", name, "--via", "project", event],
  }));
}
