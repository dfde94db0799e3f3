import type { Host } from "../../hosts/contract/host.ts";
import { type HostName, hostNames } from "../../hosts/contract/names.ts";
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
import { chooseHosts } from "./choose-hosts.ts";
import { runUserInit } from "./init-user.ts";
import { offerGit } from "./offer-git.ts";
import { initValue, printInit, printProblems, problemsValue, titleList, type Wish } from "./print-init.ts";

/** Sets up the project for the chosen hosts, or removes Holdfast from their settings. */
export async function runInit(parsed: ParsedArguments, io: Io, paint: Paint, errPaint: Paint): Promise<number> {
  const wish = wishOf(parsed);
  if (flagOption(parsed, "user") === true) {
    const named = namedHosts(parsed)?.map((name) => hosts[name]) ?? null;
    return runUserInit(named, wish, io, { out: paint, err: errPaint });
  }
  const project = projectFolder(io.cwd);
  const candidates = findCandidates(parsed, wish, project, io);
  const whole = planFor(project, candidates.hosts, wish);
  const chosen = await choose(candidates, whole, wish, project, io);
  if (chosen === null) {
    const what = `this ${wish.remove ? "removes Holdfast from" : "sets up"} ${titleList(candidates.hosts)} in ${project}`;
    const refusal = { code: "confirmation-needed", what } as const;
    return refuse(io, wish, refusalValue(refusal), printRefusal(refusal, errPaint));
  }
  if (chosen.length === 0) {
    io.out("nothing was changed\n");
    return exitCodes.refused;
  }
  const plan = chosen === candidates.hosts ? whole : planFor(project, chosen, wish);
  if (plan.problems.length > 0) return refuse(io, wish, problemsValue(plan), printProblems(plan, errPaint));
  if (!wish.remove && !candidates.named && canAsk(wish, io)) await offerGit(project, io);
  if (!wish.dryRun) carryOut(project, plan, wish);
  io.out(wish.json ? `${JSON.stringify(initValue(plan, chosen, wish))}\n` : printInit(plan, chosen, wish, paint));
  return exitCodes.done;
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

interface Candidates {
  readonly hosts: readonly Host[];
  /** Whether --host names them; else they were found. */
  readonly named: boolean;
}

/** The hosts that --host names, else those that can be found; at a terminal a person may still choose others. */
function findCandidates(parsed: ParsedArguments, wish: Wish, project: string, io: Io): Candidates {
  const { home } = findUser(io.env);
  if (isHome(project, home)) {
    throw new UsageError("this is your home folder, not a project", "change to a project folder, then: holdfast init");
  }
  const named = namedHosts(parsed);
  const names = named ?? (wish.remove ? hostNames : findHosts(project, { home, path: io.env.PATH ?? "" }));
  if (names.length > 0 || canAsk(wish, io)) return { hosts: names.map((name) => hosts[name]), named: named !== null };
  throw new UsageError("no agent program was found here", "name one: holdfast init --host claude");
}

function canAsk({ yes, dryRun, json }: Wish, io: Io): boolean {
  return io.isTerminal && !yes && !dryRun && !json;
}

function namedHosts(parsed: ParsedArguments): readonly HostName[] | null {
  const given = textOption(parsed, "host");
  if (given === undefined) return null;
  const names = given.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !hostNames.some((each) => each === name));
  if (unknown !== undefined) {
    throw new UsageError(
      `--host: ${quote(unknown)} is not one of ${hostNames.join(", ")}${didYouMean(unknown, hostNames)}`,
    );
  }
  return hostNames.filter((name) => names.includes(name));
}

function planFor(project: string, chosen: readonly Host[], wish: Wish): Plan {
  return wish.remove ? planRemoval(project, chosen) : planInstall(project, chosen);
}

/** Nothing is asked if nothing would change, or if --host says it all. Null if someone should be asked and nobody can. */
async function choose(
  { hosts: candidates, named }: Candidates,
  { changes }: Plan,
  wish: Wish,
  project: string,
  io: Io,
): Promise<readonly Host[] | null> {
  const isDone = candidates.length > 0 && changes.length === 0;
  if (wish.yes || wish.dryRun || isDone) return candidates;
  if (!canAsk(wish, io)) return null;
  if (named) return candidates;
  const all = hostNames.map((name) => hosts[name]);
  if (!wish.remove) return chooseHosts(`Which agents do you want to set up in ${project}?`, all, candidates, io);
  const installed = all.filter((host) => planFor(project, [host], wish).changes.length > 0);
  return chooseHosts(`Which agents do you want to remove Holdfast from in ${project}?`, installed, installed, io);
}

function carryOut(project: string, plan: Plan, { remove }: Wish): void {
  if (plan.changes.length === 0) return;
  if (!remove) ignoreState(project);
  applyPlan(project, plan);
  if (remove) removeUnusedState(project);
}
