import { dirname, isAbsolute, relative } from "node:path";
import type { Host } from "../../hosts/contract/host.ts";
import { hostNames } from "../../hosts/contract/names.ts";
import { findHosts, hosts } from "../../hosts/hosts.ts";
import { applyUserPlan } from "../../hosts/user/apply-user.ts";
import {
  planUserInstall,
  planUserRemoval,
  type UserPlace,
  type UserPlan,
  userFiles,
} from "../../hosts/user/plan-user.ts";
import { findUser } from "../../project/find-user.ts";
import { installation } from "../../project/version.ts";
import { printRefusal, refusalValue } from "../print/print-refusal.ts";
import { exitCodes } from "../terminal/exit-codes.ts";
import type { Io } from "../terminal/io.ts";
import { beside, facts } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { UsageError } from "../terminal/usage-error.ts";

/** The options of the call that matter here. */
export interface UserWish {
  readonly remove: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/** Sets up the hosts for every project of the user, or undoes that. Null hosts: those that are found. */
export async function runUserInit(
  named: readonly Host[] | null,
  wish: UserWish,
  io: Io,
  paints: { readonly out: Paint; readonly err: Paint },
): Promise<number> {
  const { home, configFolder } = findUser(io.env);
  const place = { home, folder: configFolder, installation };
  if (!wish.remove) refuseProjectsOwn(io.cwd);
  const candidates = chooseUserHosts(named, wish, place, io);
  let plan = planFor(place, candidates, wish);
  // Without names, a removal is about the hosts that are set up.
  const chosen = wish.remove && named === null ? hostsIn(plan, candidates, place) : candidates;
  if (plan.problems.length > 0) return refuse(io, wish, ...problemsOf(plan, paints.err));
  const isDone = wish.yes || wish.dryRun || plan.changes.length === 0;
  if (!isDone && !(await agrees(plan, chosen, wish, io))) {
    const what = `this ${wish.remove ? "removes the setup of" : "sets up"} ${titles(chosen)} for all your projects`;
    const refusal = { code: "confirmation-needed", what } as const;
    return refuse(io, wish, await refusalValue(refusal), await printRefusal(refusal, paints.err));
  }
  // While the question waited, a running agent program may have written its settings.
  if (!isDone) plan = planFor(place, candidates, wish);
  if (plan.problems.length > 0) return refuse(io, wish, ...problemsOf(plan, paints.err));
  if (!wish.dryRun) applyUserPlan(place, plan);
  io.out(
    wish.json
      ? `${JSON.stringify(userInitValue(plan, chosen, wish))}\n`
      : printUserInit(plan, chosen, wish, paints.out),
  );
  return exitCodes.done;
}

/** A copy in a project, or one that npx fetched, is not there for all projects, and may be changed by others. */
function refuseProjectsOwn(cwd: string): void {
  const above = dirname(dirname(installation));
  const inside = relative(above, cwd);
  const isHere = dirname(installation).endsWith("node_modules") && !inside.startsWith("..") && !isAbsolute(inside);
  if (!isHere && !/[\\/]_npx[\\/]/.test(installation)) return;
  const problem = "this Holdfast belongs to a project; for all of your projects it has to be your own";
  throw new UsageError(problem, "npm install --global holdfast, then: holdfast init --user");
}

function chooseUserHosts(named: readonly Host[] | null, wish: UserWish, place: UserPlace, io: Io): readonly Host[] {
  const able = (host: Host) => userFiles(place, host).length > 0;
  const unable = named?.find((host) => !able(host));
  if (unable !== undefined) {
    throw new UsageError(
      `--user: ${unable.title} has no settings of this kind`,
      "set it up in a project: holdfast init",
    );
  }
  const found = wish.remove ? hostNames : findHosts(place.home, { home: place.home, path: io.env.PATH ?? "" });
  const chosen = named ?? found.map((name) => hosts[name]).filter(able);
  if (chosen.length > 0) return chosen;
  throw new UsageError("no agent program was found", "name one: holdfast init --user --host claude");
}

function planFor(place: UserPlace, chosen: readonly Host[], { remove }: UserWish): UserPlan {
  if (!remove) return planUserInstall(place, chosen);
  const others = hostNames.map((name) => hosts[name]).filter((host) => !chosen.includes(host));
  return planUserRemoval(place, chosen, others);
}

function hostsIn({ changes }: UserPlan, candidates: readonly Host[], place: UserPlace): readonly Host[] {
  const changed = new Set(changes.map(({ path }) => path));
  return candidates.filter((host) => userFiles(place, host).some(({ path }) => changed.has(path)));
}

async function agrees(plan: UserPlan, chosen: readonly Host[], wish: UserWish, io: Io): Promise<boolean> {
  if (!io.isTerminal || wish.json) return false;
  const what = wish.remove ? "Remove the setup of" : "Set up";
  const files = plan.changes.map(({ path }) => `  ~/${path}\n`).join("");
  const answer = await io.ask(`${what} ${titles(chosen)} for all your projects? This changes:\n${files}[y/N] `);
  return /^y(es)?$/i.test(answer.trim());
}

function refuse(io: Io, { json }: UserWish, value: object, text: string): number {
  if (json) io.out(`${JSON.stringify(value)}\n`);
  else io.err(text);
  return exitCodes.refused;
}

function problemsOf({ problems }: UserPlan, paint: Paint): [object, string] {
  const messages = problems.map(
    ({ file, line, column, problem }) => `${file}, line ${line}, column ${column}: ${problem}`,
  );
  const next = "fix it, then run holdfast init --user again; nothing was changed";
  const value = { error: { code: "file-invalid", message: messages.join("; "), next, problems } };
  const lines = messages.map((message) => beside(`${paint.bad("refused:")} `, message, paint.edge));
  return [value, `${lines.join("")}${facts([["Next", next]], paint.edge)}`];
}

function userInitValue({ changes, notes }: UserPlan, chosen: readonly Host[], { remove, dryRun }: UserWish): object {
  const files = changes.map(({ path, what }) => ({ path: `~/${path}`, change: what }));
  return { hosts: chosen.map(({ name }) => name), user: true, remove, dryRun, files, notes };
}

function printUserInit({ changes, notes }: UserPlan, chosen: readonly Host[], wish: UserWish, paint: Paint): string {
  const said = notes.map((note) => beside("  note: ", note, paint.edge)).join("");
  const are = chosen.length > 1 ? "are" : "is";
  const state = `${titles(chosen)} ${are}`;
  if (changes.length === 0) {
    return `${state} ${wish.remove ? "not" : "already"} set up for every project; nothing was changed\n${said}`;
  }
  const width = Math.max(...changes.map(({ what }) => what.length));
  const files = changes.map(({ what, path }) => `  ${paint.good(what.padEnd(width))}  ~/${path}\n`).join("");
  if (wish.dryRun) return `this would change:\n${files}${said}`;
  const next = facts(wish.remove ? [] : [["Undo", "holdfast init --user --remove"]], paint.edge);
  return `${state} ${wish.remove ? "no longer " : ""}set up for all your projects\n${files}${said}${next}`;
}

/** Only shims may be left of an earlier setup, and then there is no host to name. */
function titles(all: readonly Host[]): string {
  return all.length === 0 ? "Holdfast" : all.map(({ title }) => title).join(" and ");
}
