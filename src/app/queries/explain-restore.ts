import type { Card } from "../../cards/card.ts";
import { detectWorkflow } from "../../cards/detect.ts";
import { isHoldfastError } from "../../errors.ts";
import type { Glance } from "../../journal/stored-runs.ts";
import type { Deps } from "../../operation/operation.ts";
import { isOld } from "../continuity/events/restore-session.ts";
import { type Chosen, chooseForHook } from "../continuity/ports/choose-for-hook.ts";
import type { ContinuityPorts } from "../continuity/ports/ports.ts";
import { createServerPorts } from "../continuity/ports/server-ports.ts";
import { findTracked, sourceFile } from "../continuity/tracked/tracked.ts";
import { surveyRuns } from "../runs/choose-run.ts";
import { readFrozen } from "../workflows/frozen-template.ts";

/** What a session would be restored to right now, and why. */
export interface Restorable {
  readonly run: RestorableRun | null;
  /** Why this run cannot be restored. */
  readonly unreadable: { readonly problem: string; readonly next: string } | null;
  readonly tracked: RestorableWorkflow | null;
  /** Possible sources of a tracked workflow that were rejected, and why. */
  readonly passedOver: readonly string[];
  readonly damaged: readonly { readonly runId: string; readonly problem: string; readonly next: string }[];
  /** A problem in the project's settings, which are then ignored. */
  readonly settings: string | null;
  /** Cards that were skipped, and why. */
  readonly troubles: readonly string[];
}

export interface RestorableRun {
  readonly runId: string;
  readonly workflow: string;
  readonly why: string;
  readonly others: readonly string[];
  /** Whether there are several candidates and only the age decides. */
  readonly isGuess: boolean;
}

export interface RestorableWorkflow {
  readonly workflow: string;
  readonly phase: string;
  readonly why: string;
  readonly others: readonly string[];
}

/** Read-only: nothing is bound, saved or counted. */
export async function explainRestore(deps: Deps): Promise<Restorable> {
  const ports = await createServerPorts(deps);
  const [settings = null] = ports.troubles.splice(0);
  const session = deps.caller.session ?? "";
  const chosen = await chooseForHook(ports, { session, host: "", via: "doctor", parent: "" });
  const { damaged } = await surveyRuns(deps);
  const { tracked, passedOver } = await explainTracked(ports);
  return {
    run: chosen === null ? null : explainRun(ports, chosen),
    unreadable: chosen === null ? null : await templateProblem(deps, chosen),
    tracked,
    passedOver,
    damaged: damaged.map(({ runId, error }) => ({ runId, problem: error.message, next: error.next })),
    settings,
    troubles: [...new Set(ports.troubles)],
  };
}

/** A run whose template cannot be read, for example by a version that is too old for it, is not restored. */
async function templateProblem(deps: Deps, { standing }: Chosen): Promise<Restorable["unreadable"]> {
  try {
    await readFrozen(deps, standing.run);
    return null;
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    return { problem: error.message, next: error.next };
  }
}

function explainRun(ports: ContinuityPorts, { standing, claim, others }: Chosen): RestorableRun {
  const { runId, workflow } = standing.run;
  const isHere = ({ worktree }: Pick<Glance, "worktree">) => worktree === ports.roots.worktree;
  const here = [standing.run, ...others].filter(isHere).length;
  const all = others.length + 1;
  const why = {
    bound: "this session is bound to it",
    only: "it is the only live run",
    onlyHere: "it is the only live run in this worktree",
    newest: `it is the newest of ${isHere(standing.run) ? here : all} live runs`,
  };
  const reason = claim === "bound" ? "bound" : all === 1 ? "only" : here === 1 ? "onlyHere" : "newest";
  const offered = isOld(ports, standing)
    ? "; it has been idle for two weeks, so it is only mentioned"
    : claim === "taken"
      ? "; another session works on it, so it is only mentioned"
      : "";
  return {
    runId,
    workflow,
    why: `${why[reason]}${offered}`,
    others: others.map((other) => other.runId),
    isGuess: reason === "newest",
  };
}

async function explainTracked(ports: ContinuityPorts): Promise<Pick<Restorable, "tracked" | "passedOver">> {
  const { settings, roots } = ports;
  if (!settings.cards.on) return { tracked: null, passedOver: ["state cards are turned off"] };
  if (!settings.tracked.on) return { tracked: null, passedOver: ["tracked workflows are turned off"] };
  const { found, others, reasons } = detectWorkflow(roots.projectRoot, settings.tracked);
  const tracked = await findTracked(ports);
  const passedOver = [
    ...reasons,
    ...others.map((path) => `${path}: it is also in progress, but ${found?.source ?? "another"} comes first`),
  ];
  if (tracked !== null) return { tracked: explainCard(tracked.card, tracked.others), passedOver };
  if (found === null) return { tracked: null, passedOver };
  const why = `${found.source} describes it; the next compaction creates a card`;
  return { tracked: { workflow: found.workflow, phase: phaseText(found.phase), why, others: [] }, passedOver };
}

function explainCard(card: Card, others: readonly Card[]): RestorableWorkflow {
  const source = sourceFile(card);
  const newest = others.length === 0 ? "" : `, the newest of ${others.length + 1}`;
  return {
    workflow: card.workflow,
    phase: phaseText(card.phase),
    why: `it has a state card${source === null ? "" : ` that follows ${source}`}${newest}`,
    others: others.map(({ workflow }) => workflow),
  };
}

function phaseText({ current, total, name }: Card["phase"]): string {
  return `phase ${current}/${total} ${name}`.trim();
}
