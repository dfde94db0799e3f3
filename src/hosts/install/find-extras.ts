import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { namesInFolder, readTextIfExists } from "../../platform/files.ts";
import { realFolderInside } from "../../platform/path-inside.ts";
import { readOnlyEnv, safeGitOptions } from "../../platform/safe-git.ts";
import { sizeLimits } from "../../platform/size-limits.ts";
import type { Host } from "../contract/host.ts";
import {
  configFile,
  createExtras,
  type Extra,
  type ExtraName,
  type ExtraWish,
  extraNames,
  ignorable,
  localSettings,
  safeExtras,
} from "../extras/extras.ts";
import { saysWhere } from "../extras/lines.ts";
import { findInherited } from "../extras/status-line.ts";
import { readRecord } from "./installed-record.ts";
import { textOf } from "./plan.ts";
import { readProjectFile } from "./project-file.ts";

export interface ExtraPlace {
  readonly project: string;
  /** The person's home. */
  readonly home: string;
  readonly hosts: readonly Host[];
  /** Whether the project is in a git repository, or is to become one. */
  readonly inRepository: boolean;
}

/** What the person has said: to have it, or not to have it. */
export type ExtraWants = Readonly<Partial<Record<ExtraName, boolean>>>;

/** The extras to add or to take out: what the person wants, else what is there from before, else the safe ones. */
export function findExtras(place: ExtraPlace, wants: ExtraWants): readonly ExtraWish[] {
  const extras = createExtras({ inherited: null, ignored: [] });
  const state = (name: ExtraName) => wants[name] ?? wantedBefore(place.project, extras[name]);
  const wanted = Object.fromEntries(extraNames.map((name) => [name, state(name)] as const));
  const made = createExtras({ inherited: inheritedIn(place), ignored: ignoredIn(place, wanted) });
  return extraNames.flatMap((name) => {
    const is = wanted[name];
    return is === undefined || !fits(place, name, wants) ? [] : [{ extra: made[name], wanted: is }];
  });
}

/** The extras that a person can be asked about here, and whether each is suggested. */
export function offeredExtras(
  place: ExtraPlace,
  wants: ExtraWants,
): readonly (Extra & { readonly suggested: boolean })[] {
  const extras = createExtras({ inherited: inheritedIn(place), ignored: ignoredIn(place, { "status-line": true }) });
  return extraNames
    .filter((name) => wants[name] === undefined && fits(place, name, wants) && !isThere(place, extras[name]))
    .map((name) => ({ ...extras[name], suggested: name !== "hidden-cards" || !hasCards(place.project) }));
}

/** Every extra that a removal has to look for. The lines for all hosts stay while one of them is left. */
export function extrasToRemove(hosts: readonly Host[], isLast: boolean): readonly ExtraWish[] {
  const extras = createExtras({ inherited: null, ignored: [] });
  const names = extraNames.filter((name) => (isForClaude(name) ? hasClaude(hosts) : isLast));
  return names.map((name) => ({ extra: extras[name], wanted: false }));
}

/** Where state cards are kept if the settings do not say; null if they do. */
export function defaultCardFolder(project: string): string | null {
  return saysWhere(read(project, configFile) ?? "") ? null : cardFolder;
}

export function hasCards(project: string): boolean {
  const folder = realFolderInside(project, cardFolder);
  return folder !== null && namesInFolder(folder, "ENOTDIR", "EACCES").some((name) => !name.startsWith("."));
}

const cardFolder = "untracked/workflow-state";

function wantedBefore(project: string, extra: Extra): boolean | undefined {
  const added = readRecord(project)[extra.path]?.added?.includes(extra.name) === true;
  // Whoever has removed it by hand does not want it back.
  if (added) return holds(extra, read(project, extra.path)) ? true : undefined;
  return safeExtras.includes(extra.name) ? true : undefined;
}

function isThere({ project }: ExtraPlace, extra: Extra): boolean {
  const text = read(project, extra.path);
  const put = extra.putIn(text);
  return text !== null && (holds(extra, text) || (put.ok && put.text === text));
}

function holds(extra: Extra, text: string | null): boolean {
  const without = text === null ? null : extra.takeOut(text, null);
  return without?.ok === true && without.text !== text;
}

function fits({ project, hosts, inRepository }: ExtraPlace, name: ExtraName, wants: ExtraWants): boolean {
  if (name === "status-line" && hidesProjectLine(project)) return hasClaude(hosts) && wants[name] !== undefined;
  if (isForClaude(name)) return hasClaude(hosts);
  if (name === "gitignore") return inRepository || wants.gitignore === true;
  return defaultCardFolder(project) !== null || holds(createExtras(nothing)[name], read(project, configFile));
}

const nothing = { inherited: null, ignored: [] } as const;

function isForClaude(name: ExtraName): boolean {
  return name === "permission" || name === "status-line";
}

function hasClaude(hosts: readonly Host[]): boolean {
  return hosts.some(({ name }) => name === "claude");
}

/** Claude Code shows the status line of the narrowest settings alone, so ours has to show the person's, too. */
function inheritedIn({ home }: ExtraPlace) {
  const file = "~/.claude/settings.json";
  return findInherited({
    file,
    text: readTextIfExists(join(home, ".claude/settings.json"), sizeLimits.hostFile, "ENOTDIR"),
  });
}

/**
 * Whether the project has a status line that ours would hide. A command of the repository is never copied into the
 * person's own settings, so ours is added only for whoever asks for it.
 */
function hidesProjectLine(project: string): boolean {
  const file = ".claude/settings.json";
  return findInherited({ file, text: read(project, file) }) !== null;
}

/** The lines that git needs: what it ignores already is left out. */
function ignoredIn({ project, hosts }: ExtraPlace, wanted: ExtraWants): string[] {
  const hasLocal = hasClaude(hosts) && (wanted.permission === true || wanted["status-line"] === true);
  const hasVisibleCards = wanted["hidden-cards"] !== true && defaultCardFolder(project) !== null;
  return [
    ...(hasLocal && !isIgnored(project, localSettings) ? [ignorable.settings] : []),
    ...(hasVisibleCards && !isIgnored(project, `${cardFolder}/card`) ? [ignorable.cards] : []),
  ];
}

function isIgnored(project: string, path: string): boolean {
  const args = [...safeGitOptions, "check-ignore", "--quiet", "--no-index", path];
  // Without a limit, a pipe in place of one of git's own files would hold it up for ever.
  const options = { cwd: project, env: readOnlyEnv(process.env), stdio: "ignore", timeout: 2_000 } as const;
  return spawnSync("git", args, options).status === 0;
}

function read(project: string, path: string): string | null {
  return textOf(readProjectFile(project, path)?.bytes ?? null);
}
