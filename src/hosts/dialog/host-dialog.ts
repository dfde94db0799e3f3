import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { isRecord, parseJson } from "../../model/json.ts";
import { readRegularFile, readTextIfExists } from "../../platform/files.ts";
import { readInside } from "../../platform/path-inside.ts";
import type { Program } from "../../platform/program-of.ts";
import { sizeLimits } from "../../platform/size-limits.ts";
import type { HostName } from "../contract/names.ts";

/** A host that can ask its user in a dialog while a call waits, and what may answer there in the user's place. */
interface DialogHost {
  /** Whether a process is this host. */
  isProgram(program: Program): boolean;
  /** An option with which no person sits before it: a program may answer the form then, or nobody ever does. */
  readonly unattended: RegExp;
  /** The hook that answers the dialog instead of the user. */
  readonly hook: string;
  /** Its settings in a project and in the home folder. */
  readonly settings: readonly string[];
  /** Settings of the machine, with absolute paths. */
  readonly managed: readonly string[];
  /** Its list of plugins in the home folder; each of them may have hooks. */
  readonly plugins: string;
  /** The option that names further settings, as a file or as JSON. */
  readonly option: string;
}

/** Only hosts that were seen to draw the form, and to leave the answer to the user. */
const dialogHosts: Partial<Readonly<Record<HostName, DialogHost>>> = {
  claude: {
    isProgram: ({ file, args }) =>
      /[\\/]claude(?:\.exe)?$|[\\/]claude[\\/]versions[\\/][^\\/]+$/.test(file) ||
      (/^(?:node|bun)(?:\.exe)?$/.test(basename(file)) &&
        /[\\/]@anthropic-ai[\\/]claude-code[\\/]cli\.m?js$/.test(args[1] ?? "")),
    // Short options may be joined, as in -cp.
    unattended: /^(?:-[a-z]*p[a-z]*|--print|--(?:input|output)-format)(?:=|$)/i,
    hook: "Elicitation",
    settings: [".claude/settings.json", ".claude/settings.local.json"],
    managed: [
      "/etc/claude-code/managed-settings.json",
      "/Library/Application Support/ClaudeCode/managed-settings.json",
      "C:\\Program Files\\ClaudeCode\\managed-settings.json",
    ],
    plugins: ".claude/plugins/installed_plugins.json",
    option: "--settings",
  },
};

/** The host that a process is, if an answer in its dialog can count as a person's. */
export function dialogHostOf(program: Program | null): HostName | null {
  const found = Object.entries(dialogHosts).find(
    ([, host]) => program !== null && host.isProgram(program) && !program.args.some((arg) => host.unattended.test(arg)),
  );
  return (found?.[0] as HostName | undefined) ?? null;
}

export interface DialogPlace {
  readonly home: string;
  readonly project: string;
}

/**
 * The settings in which a hook answers the host's dialog by itself, so that nobody knows whether a person did. Settings that
 * cannot be read count as well.
 */
export function answeringHooks(name: HostName, { home, project }: DialogPlace, program: Program | null): string[] {
  const host = dialogHosts[name];
  if (host === undefined) return [];
  const files = [
    ...host.settings.map((path) => join(project, path)).filter((file) => answersIn(file, host.hook, project)),
    ...[
      ...host.settings.map((path) => join(home, path)),
      ...host.managed,
      ...pluginFolders(join(home, host.plugins)).flatMap(hookFiles),
    ].filter((file) => answersIn(file, host.hook)),
  ];
  const given = optionOf(program, host.option);
  const isGiven = given !== null && (answersIn(given, host.hook) || answers(given, host.hook));
  return [...new Set(files), ...(isGiven ? [host.option] : [])];
}

/** Files of a project are read without links; those of the person may be anywhere. */
function answersIn(file: string, hook: string, project: string | null = null): boolean {
  if (!existsSync(file)) return false;
  try {
    const most = sizeLimits.hostFile;
    const bytes = project === null ? readRegularFile(file, most) : readInside(project, file, most, "none");
    return answers(bytes.toString("utf8"), hook);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return true;
  }
}

/** Whether settings have such a hook; those that are not JSON might. */
function answers(settings: string, hook: string): boolean {
  const parsed = parseJson(settings.trim() || "{}");
  if (!isRecord(parsed)) return settings.includes(hook);
  return isRecord(parsed.hooks) && Object.hasOwn(parsed.hooks, hook);
}

/** A plugin has its hooks in a file of their own, in its manifest, or in another file that the manifest names. */
function hookFiles(plugin: string): string[] {
  const manifest = join(plugin, ".claude-plugin/plugin.json");
  const parsed = readJson(manifest);
  const named = isRecord(parsed) && typeof parsed.hooks === "string" ? [join(plugin, parsed.hooks)] : [];
  return [join(plugin, "hooks/hooks.json"), manifest, ...named];
}

function pluginFolders(list: string): string[] {
  const parsed = readJson(list);
  const plugins = isRecord(parsed) && isRecord(parsed.plugins) ? Object.values(parsed.plugins).flat() : [];
  return plugins.flatMap((each) => (isRecord(each) && typeof each.installPath === "string" ? [each.installPath] : []));
}

function readJson(file: string): unknown {
  return existsSync(file) ? parseJson(readTextIfExists(file, sizeLimits.hostFile) ?? "") : undefined;
}

function optionOf(program: Program | null, option: string): string | null {
  const at = program?.args.findIndex((arg) => arg === option || arg.startsWith(`${option}=`)) ?? -1;
  const arg = program?.args[at];
  if (arg === undefined) return null;
  return arg === option ? (program?.args[at + 1] ?? null) : arg.slice(option.length + 1);
}
