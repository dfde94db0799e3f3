import type { Host } from "../../hosts/contract/host.ts";
import { type HostName, hostNames } from "../../hosts/contract/names.ts";
import { extraNames } from "../../hosts/extras/extras.ts";
import { findHosts, hosts } from "../../hosts/hosts.ts";
import { applyPlan } from "../../hosts/install/apply-plan.ts";
import { type ExtraPlace, type ExtraWants, findExtras, offeredExtras } from "../../hosts/install/find-extras.ts";
import type { Plan } from "../../hosts/install/plan.ts";
import { planInstall } from "../../hosts/install/plan-install.ts";
import { planRemoval } from "../../hosts/install/plan-removal.ts";
import { isHome, projectFolder } from "../../hosts/install/project-root.ts";
import { didYouMean } from "../../model/nearest.ts";
import { quote } from "../../model/quote.ts";
import { findUser } from "../../project/find-user.ts";
import { rememberProject } from "../../project/known-projects.ts";
import { ignoreState, removeUnusedState } from "../../project/state-folder.ts";
import { choiceOption, flagOption, type ParsedArguments, textOption } from "../command/command.ts";
import { printRefusal, refusalValue } from "../print/print-refusal.ts";
import { exitCodes } from "../terminal/exit-codes.ts";
import type { Io } from "../terminal/io.ts";
import type { Paint } from "../terminal/paint.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { chooseExtras, confirmPlan } from "./choose-extras.ts";
import { chooseHosts } from "./choose-hosts.ts";
import { runUserInit } from "./init-user.ts";
import { isInRepository, makeRepository, offerGit } from "./offer-git.ts";
import { initValue, printInit, printProblems, problemsValue, titleList, type Wish } from "./print-init.ts";

/** Sets up the project for the chosen hosts, or removes Holdfast from their settings. */
export async function runInit(parsed: ParsedArguments, io: Io, paint: Paint, errPaint: Paint): Promise<number> {
  const wish = wishOf(parsed);
  if (flagOption(parsed, "user") === true) return runForUser(parsed, wish, io, { out: paint, err: errPaint });
  const project = projectFolder(io.cwd);
  const { named, hosts: found } = findCandidates(parsed, wish, project, io);
  const proposed = { hosts: found, wants: wish.wants, makesRepository: false };
  const isDone = found.length > 0 && planFor(project, proposed, wish, io).changes.length === 0;
  // Nothing is asked if nothing would change.
  const isSettled = wish.yes || wish.dryRun || isDone;
  if (!isSettled && !canAsk(wish, io)) {
    const what = `this ${wish.remove ? "removes Holdfast from" : "sets up"} ${titleList(found)} in ${project}`;
    const refusal = { code: "confirmation-needed", what } as const;
    return refuse(io, wish, await refusalValue(refusal), await printRefusal(refusal, errPaint));
  }
  // A person who names the hosts has said it all.
  const asks = !isSettled && !named;
  const choice = asks ? await choose(project, proposed, wish, io) : proposed;
  if (choice === null) return leaveUnchanged(io);
  const plan = planFor(project, choice, wish, io);
  if (plan.problems.length > 0) return refuse(io, wish, problemsValue(plan), printProblems(plan, errPaint));
  if (asks && !wish.remove && !(await confirmPlan({ plan, hosts: choice.hosts, wish, project }, io, paint)))
    return leaveUnchanged(io);
  carryOut(project, choice, plan, wish, io);
  const outcome = { plan, hosts: choice.hosts, wish, project };
  io.out(wish.json ? `${JSON.stringify(initValue(outcome))}\n` : printInit(outcome, paint));
  return exitCodes.done;
}

function runForUser(parsed: ParsedArguments, wish: Wish, io: Io, paints: { out: Paint; err: Paint }): Promise<number> {
  const [extra] = Object.keys(wish.wants);
  if (extra !== undefined) {
    throw new UsageError(`--${extra} is for one project, not for --user`, `holdfast init --${extra}, in the project`);
  }
  return runUserInit(namedHosts(parsed)?.map((name) => hosts[name]) ?? null, wish, io, paints);
}

function leaveUnchanged(io: Io): number {
  io.out("nothing was changed\n");
  return exitCodes.refused;
}

/** What is to be set up. */
interface Choice {
  readonly hosts: readonly Host[];
  readonly wants: ExtraWants;
  /** Whether the folder is to become a git repository first. */
  readonly makesRepository: boolean;
}

function wishOf(parsed: ParsedArguments): Wish {
  const has = (name: string) => flagOption(parsed, name) === true;
  const said = extraNames.map((name) => [name, choiceOption(parsed, name)] as const);
  const wants = Object.fromEntries(said.filter(([, value]) => value !== undefined));
  return { remove: has("remove"), dryRun: has("dry-run"), yes: has("yes"), json: has("json"), wants };
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

function planFor(project: string, choice: Choice, wish: Wish, io: Io): Plan {
  if (wish.remove) return planRemoval(project, choice.hosts);
  return planInstall(project, choice.hosts, findExtras(placeOf(project, choice, io), choice.wants));
}

function placeOf(project: string, { hosts: chosen, makesRepository }: Choice, io: Io): ExtraPlace {
  const { home } = findUser(io.env);
  return { project, home, hosts: chosen, inRepository: makesRepository || isInRepository(project) };
}

/** Asks a person at a terminal. Null if they cancel, or choose nothing. */
async function choose(project: string, proposed: Choice, wish: Wish, io: Io): Promise<Choice | null> {
  const all = hostNames.map((name) => hosts[name]);
  if (wish.remove) {
    const installed = all.filter(
      (host) => planFor(project, { ...proposed, hosts: [host] }, wish, io).changes.length > 0,
    );
    const question = `Which agents do you want to remove Holdfast from in ${project}?`;
    const gone = await chooseHosts(question, installed, installed, io);
    return gone.length === 0 ? null : { ...proposed, hosts: gone };
  }
  const question = `Which agents do you want to set up in ${project}?`;
  const chosen = await chooseHosts(question, all, proposed.hosts, io);
  if (chosen.length === 0) return null;
  const choice = { ...proposed, hosts: chosen, makesRepository: await offerGit(project, io) };
  const wants = await chooseExtras(offeredExtras(placeOf(project, choice, io), choice.wants), io);
  return wants === null ? null : { ...choice, wants: { ...choice.wants, ...wants } };
}

function carryOut(project: string, { makesRepository }: Choice, plan: Plan, wish: Wish, io: Io): void {
  if (wish.dryRun) return;
  if (makesRepository) makeRepository(project, io);
  if (plan.changes.length === 0) return;
  if (!wish.remove) {
    ignoreState(project);
    rememberProject(findUser(io.env), project);
  }
  applyPlan(project, plan);
  if (wish.remove) removeUnusedState(project);
}
