import { type HostName, hostNames } from "../../hosts/contract/contract.ts";
import type { Host } from "../../hosts/contract/host.ts";
import { findHosts, hosts } from "../../hosts/hosts.ts";
import { applyPlan } from "../../hosts/install/apply-plan.ts";
import type { Plan } from "../../hosts/install/plan.ts";
import { planInstall } from "../../hosts/install/plan-install.ts";
import { planRemoval } from "../../hosts/install/plan-removal.ts";
import { isHome, projectFolder } from "../../hosts/install/project-root.ts";
import { didYouMean } from "../../model/nearest.ts";
import { quote } from "../../model/quote.ts";
import { findUser } from "../../project/find-user.ts";
import { ignoreState, removeUnusedState } from "../../project/state-folder.ts";
import { flagOption, type ParsedArguments, textOption } from "../command/command.ts";
import { printRefusal, refusalValue } from "../print/print-refusal.ts";
import { exitCodes } from "../terminal/exit-codes.ts";
import type { Io } from "../terminal/io.ts";
import type { Paint } from "../terminal/paint.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { initValue, printInit, printProblems, problemsValue, type Wish } from "./print-init.ts";

/** Sets the project up for the chosen hosts, or takes that back. */
export async function runInit(parsed: ParsedArguments, io: Io, paint: Paint, errPaint: Paint): Promise<number> {
  const wish = wishOf(parsed);
  const project = projectFolder(io.cwd);
  const all = findCandidates(parsed, wish, project, io);
  const whole = planFor(project, all, wish);
  const chosen = await choose(all, whole, wish, project, io);
  if (chosen === null) {
    const what = `this ${wish.remove ? "takes Holdfast out of" : "sets up"} ${titles(all)} in ${project}`;
    const refusal = { code: "confirmation-needed", what } as const;
    return refuse(io, wish, refusalValue(refusal), printRefusal(refusal, errPaint));
  }
  const plan = chosen.length === all.length ? whole : planFor(project, chosen, wish);
  if (plan.problems.length > 0) return refuse(io, wish, problemsValue(plan), printProblems(plan, errPaint));
  if (!wish.dryRun) carryOut(project, plan, wish);
  io.out(wish.json ? `${JSON.stringify(initValue(plan, chosen, wish))}\n` : printInit(plan, chosen, wish, paint));
  return chosen.length === 0 ? exitCodes.refused : exitCodes.done;
}

function wishOf(parsed: ParsedArguments): Wish {
  const has = (name: string) => flagOption(parsed, name) === true;
  return { remove: has("remove"), dryRun: has("dry-run"), yes: has("yes"), json: has("json") };
}

function refuse(io: Io, { json }: Wish, value: object, text: string): number {
  if (json) io.out(`${JSON.stringify(value)}\n`);
  else io.err(text);
  return exitCodes.refused;
}

/** The hosts that are named, else those that can be found. */
function findCandidates(parsed: ParsedArguments, { remove }: Wish, project: string, io: Io): Host[] {
  const { home } = findUser(io.env);
  if (isHome(project, home)) {
    throw new UsageError("this is your home folder, not a project", "go to a project, then: holdfast init");
  }
  const named = namedHosts(parsed);
  const names = named ?? (remove ? hostNames : findHosts(project, { home, path: io.env.PATH ?? "" }));
  if (names.length > 0) return names.map((name) => hosts[name]);
  throw new UsageError("neither Claude Code nor Codex was found here", "name one: holdfast init --host claude");
}

function namedHosts(parsed: ParsedArguments): readonly HostName[] | null {
  const given = textOption(parsed, "host");
  if (given === undefined) return null;
  const names = given.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !hostNames.some((each) => each === name));
  if (unknown !== undefined) {
    throw new UsageError(
      `--host: ${quote(unknown)} is none of ${hostNames.join(", ")}${didYouMean(unknown, hostNames)}`,
    );
  }
  return hostNames.filter((name) => names.includes(name));
}

function planFor(project: string, chosen: readonly Host[], wish: Wish): Plan {
  return wish.remove ? planRemoval(project, chosen) : planInstall(project, chosen);
}

/** Nothing is asked where nothing would be done. Null when nobody can be asked who should be. */
async function choose(
  all: readonly Host[],
  { changes }: Plan,
  { remove, dryRun, yes, json }: Wish,
  project: string,
  io: Io,
): Promise<readonly Host[] | null> {
  if (yes || dryRun || changes.length === 0) return all;
  if (!io.isTerminal || json) return null;
  const chosen: Host[] = [];
  for (const host of all) {
    const files = host.files.map(({ path }) => path).join(", ");
    const question = remove ? `Take Holdfast out of ${host.title}'s files` : `Set up ${host.title}`;
    const answer = await io.ask(`${question} in ${project} (${files})? [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) chosen.push(host);
  }
  return chosen;
}

function carryOut(project: string, plan: Plan, { remove }: Wish): void {
  if (plan.changes.length === 0) return;
  if (!remove) ignoreState(project);
  applyPlan(project, plan);
  if (remove) removeUnusedState(project);
}

function titles(all: readonly Host[]): string {
  return all.map(({ title }) => title).join(" and ");
}
