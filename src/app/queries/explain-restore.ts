import type { Card } from "../../cards/card.ts";
import { detectWorkflow } from "../../cards/detect.ts";
import type { Standing } from "../../journal/run-journal.ts";
import type { Deps } from "../../operation/operation.ts";
import { isOld } from "../continuity/events/restore-session.ts";
import { type Chosen, chooseForHook } from "../continuity/ports/choose-for-hook.ts";
import type { ContinuityPorts } from "../continuity/ports/ports.ts";
import { createServerPorts } from "../continuity/ports/server-ports.ts";
import { findTracked, sourceFile } from "../continuity/tracked/tracked.ts";
import { surveyRuns } from "../runs/choose-run.ts";

/** What a session would be put back on, here and now, and why that. */
export interface Restorable {
  readonly run: RestorableRun | null;
  readonly tracked: RestorableWorkflow | null;
  /** Sources of a workflow that do not count, and why. */
  readonly passedOver: readonly string[];
  readonly damaged: readonly { readonly runId: string; readonly problem: string; readonly next: string }[];
  /** What is wrong with the project's settings, which therefore do not count. */
  readonly settings: string | null;
  /** Cards that were passed over, and why. */
  readonly troubles: readonly string[];
}

export interface RestorableRun {
  readonly runId: string;
  readonly workflow: string;
  readonly why: string;
  readonly others: readonly string[];
  /** Whether more than one could be meant and only its age decides. */
  readonly isGuess: boolean;
}

export interface RestorableWorkflow {
  readonly workflow: string;
  readonly phase: string;
  readonly why: string;
  readonly others: readonly string[];
}

/** Looks only: nothing is bound, saved or counted. */
export async function explainRestore(deps: Deps): Promise<Restorable> {
  const ports = await createServerPorts(deps);
  const [settings = null] = ports.troubles.splice(0);
  const session = deps.caller.session ?? "";
  const chosen = await chooseForHook(ports, { session, host: "", via: "doctor", parent: "" });
  const { damaged } = await surveyRuns(deps);
  const { tracked, passedOver } = await explainTracked(ports);
  return {
    run: chosen === null ? null : explainRun(ports, chosen),
    tracked,
    passedOver,
    damaged: damaged.map(({ runId, error }) => ({ runId, problem: error.message, next: error.next })),
    settings,
    troubles: [...new Set(ports.troubles)],
  };
}

function explainRun(ports: ContinuityPorts, { standing, claim, others }: Chosen): RestorableRun {
  const { runId, workflow } = standing.run;
  const isHere = ({ run }: Standing) => run.worktree === ports.roots.worktree;
  const here = [standing, ...others].filter(isHere).length;
  const all = others.length + 1;
  const why = {
    bound: "this session sits in it",
    only: "it is the only live run",
    onlyHere: "it is the only live run of this worktree",
    newest: `it is the newest of ${isHere(standing) ? here : all} live runs`,
  };
  const reason = claim === "bound" ? "bound" : all === 1 ? "only" : here === 1 ? "onlyHere" : "newest";
  const offered = isOld(ports, standing)
    ? "; it has not been touched for two weeks, so it is only offered"
    : claim === "taken"
      ? "; another session works on it, so others are only told of it"
      : "";
  return {
    runId,
    workflow,
    why: `${why[reason]}${offered}`,
    others: others.map(({ run }) => run.runId),
    isGuess: reason === "newest",
  };
}

async function explainTracked(ports: ContinuityPorts): Promise<Pick<Restorable, "tracked" | "passedOver">> {
  const { cards, settings, roots } = ports;
  if (cards === null) return { tracked: null, passedOver: ["state cards are switched off"] };
  if (!settings.tracked.on) return { tracked: null, passedOver: ["tracked workflows are switched off"] };
  const { found, others, reasons } = detectWorkflow(roots.projectRoot, settings.tracked);
  const kept = await findTracked(ports);
  const passedOver = [
    ...reasons,
    ...others.map((path) => `${path}: it is in progress, too; ${found?.source ?? "another"} comes first`),
  ];
  if (kept !== null) return { tracked: explainCard(kept.card, kept.others), passedOver };
  if (found === null) return { tracked: null, passedOver };
  const why = `${found.source} tells of it; a card is kept from the next compaction on`;
  return { tracked: { workflow: found.workflow, phase: phaseText(found.phase), why, others: [] }, passedOver };
}

function explainCard(card: Card, others: readonly Card[]): RestorableWorkflow {
  const text = sourceFile(card);
  const newest = others.length === 0 ? "" : `, the newest of ${others.length + 1}`;
  return {
    workflow: card.workflow,
    phase: phaseText(card.phase),
    why: `it has a state card${text === null ? "" : ` that follows ${text}`}${newest}`,
    others: others.map(({ workflow }) => workflow),
  };
}

function phaseText({ current, total, name }: Card["phase"]): string {
  return `phase ${current}/${total} ${name}`.trim();
}
