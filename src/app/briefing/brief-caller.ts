import { rulesOfVisit } from "../../engine/view/visit-rules.ts";
import { isHoldfastError } from "../../errors.ts";
import { buildRecap } from "../../handoff/recap.ts";
import { rulesText } from "../../handoff/rules.ts";
import { isLiveStanding, type LiveStanding, type Standing } from "../../journal/run-journal.ts";
import type { StartedRun, Visit } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import type { VisitRules } from "../../model/visit-rules.ts";
import type { Deps } from "../../operation/operation.ts";
import type { SessionState } from "../../sessions/session-state.ts";
import { gatherFacts } from "../continuity/handoff/gather-facts.ts";
import { createServerPorts } from "../continuity/ports/server-ports.ts";
import { mostlyLive } from "../runs/choose-run.ts";
import { type Reply, type StatusReply, visitOf } from "../runs/reply.ts";

/** `asked`: the caller wants to know where the run stands. `moved`: it has just moved the run, so it knows the run. */
export type Occasion = "asked" | "moved";

/**
 * Adds the rules to a reply: those of the visit always, those of the run and a recap only for a session that does not
 * have them, because it is new to the run or has lost its context since.
 */
export async function briefCaller(
  deps: Deps,
  template: Template,
  standing: Standing,
  reply: Reply,
  occasion: Occasion,
): Promise<Reply> {
  const visit = visitOf(deps, standing);
  if ("contextAction" in reply || visit === null || !isLiveStanding(standing)) return reply;
  const ofVisit = rulesOfVisit(template, standing.run, visit);
  const { session } = deps.caller;
  const caller = session === undefined ? null : deps.sessions.read(session);
  const texts = lacksContext(caller, standing, occasion) ? await textsIfReadable(deps, standing, visit, ofVisit) : null;
  if (texts === null) return withTexts(reply, rulesText(ofVisit, null, restIn(deps)), "");
  if (caller !== null) remember(deps, caller, standing);
  return withTexts(reply, texts.rules, occasion === "moved" ? "" : texts.recap);
}

/** Null if something cannot be read: the move has already been made, and its instructions must not be held back. */
async function textsIfReadable(
  deps: Deps,
  standing: LiveStanding,
  visit: Visit,
  ofVisit: VisitRules,
): Promise<Texts | null> {
  try {
    return await textsFor(deps, standing, visit, ofVisit);
  } catch (error) {
    if (isHoldfastError(error)) return null;
    throw error;
  }
}

interface Texts {
  readonly rules: string;
  readonly recap: string;
}

/** The texts for a state of a run, by session and visit: one without hooks may ask ten times before it moves the run. */
const known = new WeakMap<StartedRun, Map<string, Texts>>();

async function textsFor(deps: Deps, standing: LiveStanding, visit: Visit, ofVisit: VisitRules): Promise<Texts> {
  const { session, face } = deps.caller;
  const ofRun = known.get(standing.run) ?? new Map<string, Texts>();
  const name = JSON.stringify([session, visit.token]);
  const texts = ofRun.get(name) ?? (await textsOf());
  known.set(standing.run, ofRun.set(name, texts));
  return texts;

  async function textsOf(): Promise<Texts> {
    const ports = await createServerPorts(deps);
    const others = (await mostlyLive(deps)).filter(({ runId }) => runId !== standing.run.runId);
    const facts = await gatherFacts(ports, standing, { session: session ?? "", visit, others });
    const isNew = facts.done.length === 0 && others.length === 0;
    return { rules: rulesText(ofVisit, facts, restIn(deps)), recap: isNew ? "" : buildRecap(facts, face) };
  }
}

function withTexts(reply: StatusReply, rules: string, recap: string): StatusReply {
  return { ...reply, ...(rules !== "" && { rules }), ...(recap !== "" && { recap }) };
}

function restIn({ caller }: Deps): string {
  return caller.face === "mcp" ? "call workflow_context" : "run `holdfast context`";
}

/**
 * Whether the caller may not have the rules of the run. Hooks tell when a session has lost its context. Without hooks
 * nobody does, so whoever asks gets them.
 */
function lacksContext(caller: SessionState | null, { run }: LiveStanding, occasion: Occasion): boolean {
  if (caller === null) return occasion === "asked";
  const { told, host } = caller;
  const has = told?.run === run.runId && (told.template === null || told.template === run.templateHash);
  return !has || (occasion === "asked" && host === null);
}

function remember({ sessions, now }: Deps, { session, told }: SessionState, { run }: LiveStanding): void {
  if (told?.run === run.runId && told.template === run.templateHash) return;
  sessions.tell(session, { type: "told", at: now(), via: "call", run: run.runId, template: run.templateHash });
}
