import * as z from "zod";
import { buildHandoff } from "../../handoff/build.ts";
import { isLiveStanding, type LiveStanding, type Standing } from "../../journal/run-journal.ts";
import { isLive } from "../../model/run-state.ts";
import { type Deps, defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import type { ShownText } from "../../serve/contract/run-answers.ts";
import { gatherFacts } from "../continuity/handoff/gather-facts.ts";
import type { ContinuityPorts } from "../continuity/ports/ports.ts";
import { createServerPorts } from "../continuity/ports/server-ports.ts";
import { chooseRun } from "../runs/choose-run.ts";
import { chooseMoment, type RunAt } from "../runs/moment.ts";
import { momentInput } from "../runs/moment-input.ts";
import { statusOf } from "../runs/reply.ts";
import { type ShownRecord, shownUpTo } from "../shown/shown-log.ts";

/** What a model was shown of a run, or would be. Without a moment it is always made from the state. */
export interface HandoffReply extends ShownText {
  readonly recorded: Pick<ShownRecord, "at" | "event" | "kind" | "session"> | null;
}

/** Larger than any host's limit: a caller who asks for the handoff gets all of it. */
const longest = 100_000;

export const showHandoff = defineOperation({
  summary: "The text that puts an agent back on its run, or what it was shown at a moment of the past.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default the only live one here."),
    at: momentInput,
  }),
  run: (deps, { run, at }): Promise<Outcome<HandoffReply>> =>
    at === undefined ? handoffNow(deps, run) : shownAt(deps, run, at),
});

async function handoffNow(deps: Deps, named: string | undefined): Promise<Outcome<HandoffReply>> {
  const chosen = await chooseRun(deps, named);
  if (!chosen.ok) return chosen;
  const standing = chosen.value;
  const { runId, seq: event, status } = standing.run;
  if (!isLiveStanding(standing)) return no({ code: "run-ended", status, outputIgnored: false });
  return yes({ runId, event, recorded: null, text: await handoffOf(deps, standing, await createServerPorts(deps)) });
}

async function shownAt(now: Deps, named: string | undefined, event: number): Promise<Outcome<HandoffReply>> {
  const chosen = await chooseMoment(now, named, event);
  if (!chosen.ok) return chosen;
  const { standing } = chosen.value;
  const { runId } = standing.run;
  const shown = await findShown(now, standing, event);
  if (shown === null) return yes({ runId, event, recorded: null, text: await rebuild(chosen.value) });
  const { at, kind, session, text } = shown;
  return yes({ runId, event, recorded: { at, event: shown.event, kind, session }, text });
}

type Found = ShownRecord & { readonly text: string };

/** The newest text up to an event that belongs to what was open then, and to this very history of the run. */
async function findShown({ roots, journal }: Deps, { run }: Standing, event: number): Promise<Found | null> {
  const open = isLive(run) ? run.visits.map(({ token }) => token) : [];
  for (const shown of shownUpTo(roots.stateRoot, run.runId, event)) {
    if (open.length > 0 && shown.visit !== null && !open.includes(shown.visit)) continue;
    const commit = await journal.find(run.runId, shown.commit);
    if (commit?.id !== shown.commit.id || commit.events.at(-1)?.seq !== shown.event) continue;
    const text = shown.text();
    if (text !== null) return { ...shown, text };
  }
  return null;
}

/** What an agent would have got at that moment. Cards and files are as they are now, so they are neither read nor written. */
async function rebuild({ deps, standing }: RunAt): Promise<string> {
  if (!isLiveStanding(standing)) return (await statusOf(deps, standing, undefined, "then")).instructions;
  const ports = await createServerPorts(deps);
  const files = { ...ports.files, write() {} };
  const settings = { ...ports.settings, cards: { ...ports.settings.cards, on: false } };
  return handoffOf(deps, standing, { ...ports, files, settings, isAlive: () => true });
}

async function handoffOf({ caller }: Deps, standing: LiveStanding, ports: ContinuityPorts): Promise<string> {
  const facts = await gatherFacts(ports, standing, { session: caller.session ?? "", others: [] });
  return buildHandoff(facts, { id: "asked", reason: "asked", limit: longest, unit: "characters", file: null });
}
