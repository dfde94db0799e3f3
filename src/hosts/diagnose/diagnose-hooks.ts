import { isDeepStrictEqual } from "node:util";
import { type Finding, mend, well } from "../contract/finding.ts";
import type { Host } from "../contract/host.ts";
import { type FoundHook, type FoundHooks, wordsOf } from "../entries/found-hooks.ts";

const name = "hooks";

/** Checks that each hook is present exactly once and up to date. `plugin` means that a plugin also provides them all. */
export function diagnoseHooks(
  { name: host }: Pick<Host, "name">,
  wanted: readonly FoundHook[],
  { hooks, problems }: FoundHooks,
  plugin: boolean,
): Finding[] {
  const again = `holdfast init --host ${host}`;
  const broken = problems.map(({ file, line, column, problem }) =>
    mend(name, `${file}, line ${line}, column ${column}: ${problem}`, `fix ${file} by hand`),
  );
  const installed = hooks.filter(({ kind }) => kind === "installed");
  const wrong = installed.filter((hook) => isElsewhere(hook, wanted));
  const older = installed.filter((hook) => !(wrong.includes(hook) || isCurrent(hook, wanted)));
  // A file that cannot be read may contain them.
  const missing =
    plugin || problems.length > 0 ? [] : wanted.filter(({ event }) => !hooks.some((hook) => hook.event === event));
  const findings = [
    ...broken,
    ...one(missing, `missing for ${eventsOf(missing)}`, again),
    ...twice(wanted, hooks, again),
    ...one(wrong, `wrong path for ${eventsOf(wrong)}: ${pathOf(wrong[0]) ?? ""}`, again),
    ...one(older, `written by another version: ${eventsOf(older)}`, again),
  ];
  if (findings.length > 0) return findings;
  const files = [...new Set(hooks.map(({ file }) => file))].join(", ");
  if (!plugin) return [well(name, `${wanted.length}, each once (${files})`)];
  // Each event is handled once, whoever reports it.
  return [well(name, `${wanted.length}, each once (${files === "" ? "" : `${files}, beside `}the plugin)`)];
}

/** As init would write it now. */
export function isCurrent({ event, matcher, entry }: FoundHook, wanted: readonly FoundHook[]): boolean {
  const should = wanted.find((hook) => hook.event === event);
  return should !== undefined && isDeepStrictEqual([matcher, entry], [should.matcher, should.entry]);
}

function one(hooks: readonly FoundHook[], message: string, next: string): Finding[] {
  return hooks.length === 0 ? [] : [mend(name, message, next)];
}

function twice(wanted: readonly FoundHook[], hooks: readonly FoundHook[], again: string): Finding[] {
  const byPlaces = new Map<string, FoundHook[]>();
  for (const { event } of wanted) {
    const mine = hooks.filter((hook) => hook.event === event);
    const places = mine.map(({ file }) => file);
    if (places.length > 1) byPlaces.set(places.join("\n"), [...(byPlaces.get(places.join("\n")) ?? []), ...mine]);
  }
  return [...byPlaces].map(([key, mine]) => {
    const places = key.split("\n");
    const where = new Set(places).size === 1 ? `both in ${places[0]}` : `in ${[...new Set(places)].join(" and in ")}`;
    return mend(name, `twice for ${eventsOf(mine)}: ${where}`, keepOne(places, mine, again));
  });
}

/** Init removes duplicates in its own file; a person has to remove those in other files. */
function keepOne(places: readonly string[], hooks: readonly FoundHook[], again: string): string {
  const [first, ...others] = new Set(places);
  const byHand = hooks.find(({ kind }) => kind === "by-hand")?.file;
  if (others.length === 0) return byHand === undefined ? again : `remove the one that was added by hand from ${first}`;
  return `remove them from ${others.join(" and ")}`;
}

function isElsewhere(hook: FoundHook, wanted: readonly FoundHook[]): boolean {
  const should = wanted.find(({ event }) => event === hook.event);
  return pathOf(hook) !== null && should !== undefined && folderOf(should) !== folderOf(hook);
}

function folderOf(hook: FoundHook): string | undefined {
  return pathOf(hook)?.replace(/[^/]*$/, "");
}

/** The path of the shim in the hook. */
function pathOf(hook: FoundHook | undefined): string | null {
  return hook === undefined ? null : (/[^\s"'=]*\.holdfast\/hook\.[cm]js/.exec(wordsOf(hook))?.[0] ?? null);
}

function eventsOf(hooks: readonly FoundHook[]): string {
  return [...new Set(hooks.map(({ event }) => event))].join(", ");
}
