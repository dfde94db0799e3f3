import { join } from "node:path";
import * as z from "zod";
import { HoldfastError } from "../../errors.ts";
import type { VariableValue } from "../../model/ids.ts";
import { parseJson } from "../../model/json.ts";
import type { Refusal } from "../../model/refusal/refusal.ts";
import type { StartedRun } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import {
  type CoveredPart,
  commandsIn,
  coverLines,
  coverOf,
  coverOfReceived,
  isGrant,
  needsTrust,
} from "../../model/trust/cover.ts";
import type { Deps, No } from "../../operation/operation.ts";
import { appendLine, readTextIfExists, sha256Hex } from "../../platform/files.ts";
import { gitOrigin } from "../../platform/git-folder.ts";
import { sizeLimits } from "../../platform/size-limits.ts";

/** A workflow or a run that a person may trust: what it executes and grants, and what to type after `holdfast trust`. */
export interface Trustable {
  readonly name: string;
  readonly template: Pick<Template, "name">;
  readonly cover: readonly CoveredPart[];
}

/** A workflow, with these values of its variables. */
export function trustableWorkflow(
  name: string,
  template: Template,
  values: Readonly<Record<string, VariableValue>>,
): Trustable {
  return { name, template, cover: coverOf(template, values) };
}

/** A run, with its own template and its own values. */
export function trustableRun(name: string, template: Template, run: StartedRun): Trustable {
  const { variables, runId } = run;
  const cover = run.received ? coverOfReceived(template, variables, runId) : coverOf(template, variables);
  return { name, template, cover };
}

/** What a person is asked: everything that they would trust, and what of it is new to them. */
export async function trustQuestion(deps: Deps, trustable: Trustable): Promise<string> {
  const { name, cover } = trustable;
  const commands = cover.filter((part) => !isGrant(part));
  const grants = cover.filter(isGrant);
  const changes = await changesOf(deps, trustable);
  return [
    `The workflow "${name}" runs these commands:${listed(coverLines(commands))}`,
    ...(grants.length === 0 ? [] : [`It lets agents use:${listed(coverLines(grants))}`]),
    ...(changes.length === 0 ? [] : [`Since you last trusted it:${listed(changes)}`]),
    "Trust it?",
  ].join("\n");
}

export interface Untrusted extends No {
  readonly refusal: Extract<Refusal, { code: "template-untrusted" }>;
}

/** Null if this may be executed here. */
export async function checkTrust(deps: Deps, trustable: Trustable): Promise<Untrusted | null> {
  const { name: workflow, cover } = trustable;
  if (!needsTrust(cover) || (await isTrusted(deps, trustable))) return null;
  const changes = await changesOf(deps, trustable);
  const refusal = { workflow, commands: commandsIn(cover), covers: coverLines(cover), changes };
  return { ok: false, refusal: { code: "template-untrusted", ...refusal } };
}

export async function trust(deps: Deps, trustable: Trustable): Promise<void> {
  const entry = entryFor(deps, trustable);
  if (readEntries(deps).some((known) => isSame(known, entry))) return;
  // One appended line per entry: two processes at once lose neither. Whoever edits the file may leave no end of line.
  const line = { ...entry, covers: coverLines(trustable.cover), at: deps.now() };
  appendLine(join(deps.user.configFolder, fileName), `\n${JSON.stringify(line)}`, { follows: true });
}

/** Whether trusting one is trusting the other. */
export function isSameTrust(deps: Deps, one: Trustable, other: Trustable): boolean {
  return isSame(entryFor(deps, one), entryFor(deps, other));
}

async function isTrusted(deps: Deps, trustable: Trustable): Promise<boolean> {
  const entry = entryFor(deps, trustable);
  if (readEntries(deps).some((known) => isSame(known, entry))) return true;
  const { readUserSettings } = await import("./user-settings.ts");
  return (await readUserSettings(deps.user))?.trust === "all";
}

/** What is different from what a person last trusted in this project under this name; empty if they never did. */
async function changesOf(deps: Deps, trustable: Trustable): Promise<readonly string[]> {
  const entry = entryFor(deps, trustable);
  const last = readEntries(deps).findLast(
    ({ project, workflow }) => project === entry.project && workflow === entry.workflow,
  );
  if (last === undefined) return [];
  const now = coverLines(trustable.cover);
  return [
    ...(last.origin === entry.origin ? [] : ["the git origin of this project has changed"]),
    ...now.filter((line) => !last.covers.includes(line)).map((line) => `+ ${line}`),
    ...last.covers.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
  ];
}

const fileName = "trusted.jsonl";

const Entry = z.strictObject({
  format: z.literal(2),
  /** The state root: trust is for one project. */
  project: z.string(),
  /** A hash of the address of git's origin, which may have a password in it; null without one. */
  origin: z.string().nullable(),
  workflow: z.string(),
  /** Over everything that trust covers, in any order. */
  hash: z.string(),
  /** The same for a person to read. */
  covers: z.array(z.string()),
  at: z.string(),
});
type Entry = z.infer<typeof Entry>;
type EntryKey = Omit<Entry, "covers" | "at">;

function entryFor({ roots }: Deps, { template, cover }: Trustable): EntryKey {
  const parts = [...new Set(cover.map((part) => JSON.stringify(part)))].sort();
  return {
    format: 2,
    project: roots.stateRoot,
    origin: originHash(roots.stateRoot),
    workflow: template.name,
    hash: `sha256:${sha256Hex(JSON.stringify(parts))}`,
  };
}

/** Of the address of git's origin, which may have a password in it; null without one. */
export function originHash(stateRoot: string): string | null {
  const origin = gitOrigin(stateRoot);
  return origin === null ? null : `sha256:${sha256Hex(origin)}`;
}

function isSame(one: EntryKey, other: EntryKey): boolean {
  const keys = ["project", "origin", "workflow", "hash"] as const;
  return keys.every((key) => one[key] === other[key]);
}

/**
 * Entries of the first format trusted a whole template in every project. They count for nothing, as do those of a later version:
 * what it trusts with them is unknown here.
 */
function readEntries({ user }: Pick<Deps, "user">): readonly Entry[] {
  const file = join(user.configFolder, fileName);
  const lines = (readTextIfExists(file, sizeLimits.trust) ?? "").split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line) => {
    const value = parseJson(line);
    if (Older.safeParse(value).success || Newer.safeParse(value).success) return [];
    const entry = Entry.safeParse(value);
    if (entry.success) return [entry.data];
    throw new HoldfastError("state-broken", { file, problem: "it is not the list of trusted workflows" });
  });
}

const Newer = z.looseObject({ format: z.int().min(3) });
const Older = z.strictObject({ format: z.literal(1), hash: z.string(), workflow: z.string(), at: z.string() });

function listed(lines: readonly string[]): string {
  return lines.map((line) => `\n  ${line}`).join("");
}
