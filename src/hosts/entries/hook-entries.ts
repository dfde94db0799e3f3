import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../model/json.ts";
import { type Edited, problemAt } from "../contract/host.ts";
import { addProperty, appendItem, removeAt, replaceValue } from "./json-edit.ts";
import { type JsonPath, nodeAt, readJson, valueAt } from "./json-text.ts";

/** One entry under `hooks.<event>`. Both hosts use this shape. */
export interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly [HookEntry];
}

export interface HookEntry {
  readonly type: "command" | "mcp_tool";
  readonly timeout: number;
  readonly [field: string]: unknown;
}

export type HookGroups = Readonly<Record<string, HookGroup>>;

/** Adds each wanted group once, next to the user's own. Older versions of ours are updated in place. */
export function putHooks(present: string | null, wanted: HookGroups): Edited {
  const text = present === null || present.trim() === "" ? "{}\n" : present;
  const problem = shapeProblem(text);
  if (problem !== null) return problem;
  const others = eventsOf(text).filter((event) => wanted[event] === undefined);
  const swept = others.reduce((edited, event) => pruned(sweep(edited, event, 0), ["hooks", event], {}), text);
  const settled = Object.entries(wanted).reduce((edited, [event, group]) => settle(edited, event, group), swept);
  return { ok: true, text: settled };
}

/** Removes all of our hooks, and what is empty after that unless the original had it. */
export function takeHooks(text: string, original: string | null): Edited<string | null> {
  const problem = shapeProblem(text);
  if (problem !== null) return problem;
  const before = valueIn(original ?? "");
  const events = eventsOf(text);
  if (events.length === 0) return { ok: true, text };
  const swept = events.reduce((edited, event) => sweep(edited, event, 0), text);
  const paths: JsonPath[] = [...events.map((event) => ["hooks", event]), ["hooks"]];
  const left = paths.reduce((edited, path) => pruned(edited, path, before), swept);
  return { ok: true, text: original === null && isEmpty(valueIn(left)) ? null : left };
}

/** Whether a text has one of our hooks; false if it cannot be parsed. */
export function hasHooks(text: string): boolean {
  return eventsOf(text).length > 0;
}

/**
 * A hook's shim in a command, in a project or in the folder of the user's own settings. Earlier versions used the module
 * for all hosts.
 */
export const shimPath = /holdfast\/hook\.[cm]js/;

/** Recognizes our hooks by the shim, or by the MCP tool for hooks that earlier versions used. */
function isOurs(hook: unknown): boolean {
  if (!isRecord(hook)) return false;
  if (hook.type === "mcp_tool") return hook.server === "holdfast" && hook.tool === "hook";
  return [hook.command, hook.args]
    .flat()
    .some((word) => typeof word === "string" && shimPath.test(word.replaceAll("\\", "/")));
}

interface Place {
  readonly group: number;
  readonly hook: number;
}

/** The events that have one of our hooks. */
function eventsOf(text: string): string[] {
  const hooks = valueAt(valueIn(text), ["hooks"]);
  return isRecord(hooks) ? Object.keys(hooks).filter((event) => places(text, event).length > 0) : [];
}

function places(text: string, event: string): Place[] {
  const groups = valueAt(valueIn(text), ["hooks", event]);
  if (!Array.isArray(groups)) return [];
  return groups.flatMap((each, group) =>
    hooksIn(each).flatMap((entry, hook) => (isOurs(entry) ? [{ group, hook }] : [])),
  );
}

function hooksIn(group: unknown): readonly unknown[] {
  return isRecord(group) && Array.isArray(group.hooks) ? group.hooks : [];
}

function settle(text: string, event: string, wanted: HookGroup): string {
  const [first] = places(text, event);
  if (first === undefined) return appendGroup(text, event, wanted);
  const path: JsonPath = ["hooks", event, first.group];
  const present = valueAt(valueIn(text), path);
  if (hooksIn(present).every(isOurs)) {
    const swept = sweep(text, event, 1);
    return isDeepStrictEqual(present, wanted) ? swept : replaceValue(swept, path, wanted);
  }
  if (valueAt(present, ["matcher"]) !== wanted.matcher) return appendGroup(sweep(text, event, 0), event, wanted);
  const hookPath = [...path, "hooks", first.hook];
  const swept = sweep(text, event, 1);
  const [entry] = wanted.hooks;
  return isDeepStrictEqual(valueAt(valueIn(swept), hookPath), entry) ? swept : replaceValue(swept, hookPath, entry);
}

/** Removes our hooks of an event, starting with number `from`, and groups that had no other hook. */
function sweep(text: string, event: string, from: number): string {
  return places(text, event)
    .slice(from)
    .reduceRight((edited, { group, hook }) => {
      const path: JsonPath = ["hooks", event, group];
      const shared = hooksIn(valueAt(valueIn(edited), path)).length > 1;
      return removeAt(edited, shared ? [...path, "hooks", hook] : path);
    }, text);
}

function appendGroup(text: string, event: string, group: HookGroup): string {
  const value = valueIn(text);
  if (valueAt(value, ["hooks"]) === undefined) return addProperty(text, [], "hooks", { [event]: [group] });
  if (valueAt(value, ["hooks", event]) === undefined) return addProperty(text, ["hooks"], event, [group]);
  return appendItem(text, ["hooks", event], group);
}

function pruned(text: string, path: JsonPath, original: unknown): string {
  const emptied = isEmpty(valueAt(valueIn(text), path)) && valueAt(original, path) === undefined;
  return emptied ? removeAt(text, path) : text;
}

export function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** An empty object if the text cannot be parsed. */
function valueIn(text: string): unknown {
  const reading = readJson(text);
  return reading.ok ? reading.value : {};
}

function shapeProblem(text: string): (Edited<never> & { ok: false }) | null {
  const reading = readJson(text);
  if (!reading.ok) return reading;
  const hooks = reading.value.hooks;
  if (hooks === undefined) return null;
  if (!isRecord(hooks)) return problemAt(text, nodeAt(text, ["hooks"]).offset, '"hooks" is not an object');
  for (const [event, groups] of Object.entries(hooks)) {
    if (Array.isArray(groups)) continue;
    return problemAt(text, nodeAt(text, ["hooks", event]).offset, `"hooks.${event}" is not a list`);
  }
  return null;
}
