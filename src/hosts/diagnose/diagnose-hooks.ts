import { isDeepStrictEqual } from "node:util";
import { type Finding, mend, well } from "../contract/finding.ts";
import type { Host } from "../contract/host.ts";
import { type FoundHook, type FoundHooks, wordsOf } from "../entries/found-hooks.ts";

const name = "hooks";
/** What stands for the plugin in a list of places. */
const pluginPlace = "the plugin";

/** Whether each hook is there exactly once and as it should be. `plugin` says that a plugin brings them all, too. */
export function diagnoseHooks(
  { name: host }: Pick<Host, "name">,
  wanted: readonly FoundHook[],
  { hooks, problems }: FoundHooks,
  plugin: boolean,
): Finding[] {
  const again = `holdfast init --host ${host}`;
  const broken = problems.map(({ file, line, column, problem }) =>
    mend(name, `${file}, line ${line}, column ${column}: ${problem}`, `mend ${file} by hand`),
  );
  const installed = hooks.filter(({ kind }) => kind === "installed");
  const wrong = installed.filter((hook) => isElsewhere(hook, wanted));
  const older = installed.filter((hook) => !(wrong.includes(hook) || isCurrent(hook, wanted)));
  // What stands in a file that cannot be read is not known.
  const missing =
    plugin || problems.length > 0 ? [] : wanted.filter(({ event }) => !hooks.some((hook) => hook.event === event));
  const findings = [
    ...broken,
    ...one(missing, `missing for ${eventsOf(missing)}`, again),
    ...twice(wanted, hooks, plugin, again),
    ...one(wrong, `the wrong path for ${eventsOf(wrong)}: ${pathOf(wrong[0]) ?? ""}`, again),
    ...one(older, `not as this version writes them: ${eventsOf(older)}`, again),
  ];
  if (findings.length > 0) return findings;
  const places = [...new Set(hooks.map(({ file }) => file)), ...(plugin ? [pluginPlace] : [])];
  return [well(name, `${wanted.length}, each once (${places.join(", ")})`)];
}

/** As init would write it now. */
export function isCurrent({ event, matcher, entry }: FoundHook, wanted: readonly FoundHook[]): boolean {
  const should = wanted.find((hook) => hook.event === event);
  return should !== undefined && isDeepStrictEqual([matcher, entry], [should.matcher, should.entry]);
}

function one(hooks: readonly FoundHook[], message: string, next: string): Finding[] {
  return hooks.length === 0 ? [] : [mend(name, message, next)];
}

function twice(wanted: readonly FoundHook[], hooks: readonly FoundHook[], plugin: boolean, again: string): Finding[] {
  const byPlaces = new Map<string, FoundHook[]>();
  for (const { event } of wanted) {
    const mine = hooks.filter((hook) => hook.event === event);
    const places = [...mine.map(({ file }) => file), ...(plugin ? [pluginPlace] : [])];
    if (places.length > 1) byPlaces.set(places.join("\n"), [...(byPlaces.get(places.join("\n")) ?? []), ...mine]);
  }
  return [...byPlaces].map(([key, mine]) => {
    const places = key.split("\n");
    const where = new Set(places).size === 1 ? `both in ${places[0]}` : `in ${[...new Set(places)].join(" and in ")}`;
    return mend(name, `twice for ${eventsOf(mine)}: ${where}`, keepOne(places, mine, again));
  });
}

/** Init keeps one of several in its own file; what stands elsewhere is for a person to take out. */
function keepOne(places: readonly string[], hooks: readonly FoundHook[], again: string): string {
  if (places.includes(pluginPlace)) return `keep one: ${again} --remove, or disable the plugin in /plugin`;
  const [first, ...others] = new Set(places);
  const byHand = hooks.find(({ kind }) => kind === "by-hand")?.file;
  if (others.length === 0)
    return byHand === undefined ? again : `take the one that was written by hand out of ${first}`;
  return `take them out of ${others.join(" and ")}`;
}

function isElsewhere(hook: FoundHook, wanted: readonly FoundHook[]): boolean {
  const should = wanted.find(({ event }) => event === hook.event);
  return pathOf(hook) !== null && should !== undefined && pathOf(should) !== pathOf(hook);
}

/** The shim as the hook names it. */
function pathOf(hook: FoundHook | undefined): string | null {
  return hook === undefined ? null : (/[^\s"'=]*\.holdfast\/hook\.mjs/.exec(wordsOf(hook))?.[0] ?? null);
}

function eventsOf(hooks: readonly FoundHook[]): string {
  return [...new Set(hooks.map(({ event }) => event))].join(", ");
}
