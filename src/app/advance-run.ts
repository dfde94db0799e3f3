import { z } from "zod";
import { aimAt } from "../engine/aim.ts";
import { decide } from "../engine/decide.ts";
import { fingerprint } from "../engine/fingerprint.ts";
import { findStep, rulesOf } from "../engine/rules.ts";
import { NamedArtifacts } from "../model/artifact.ts";
import type { AdvanceCommand, Command } from "../model/command.ts";
import { Identifier, VariableValue } from "../model/ids.ts";
import type { Refusal } from "../model/refusal.ts";
import { isLive, type StartedRun } from "../model/run.ts";
import type { Template } from "../model/template.ts";
import { findWorkflow } from "./catalog.ts";
import { changeRun } from "./change-run.ts";
import { checkGates } from "./check-gates.ts";
import { chooseRun } from "./choose-run.ts";
import { type Frozen, readFrozen } from "./frozen-template.ts";
import { type Deps, defineOperation, type No, no, type Outcome, yes } from "./operation.ts";
import { recallAdvance, replyAgain } from "./replay.ts";
import { projectRootOf, type Reply, replyTo } from "./reply.ts";
import type { Standing } from "./run-journal.ts";
import { checkTrust, type Untrusted } from "./trust.ts";

const longestOutput = 1_000_000;

export const advanceRun = defineOperation({
  summary: "End the current visit with its output; the gates are checked first.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default the one this call belongs to."),
    output: z.string().max(longestOutput).default("").describe("What was done, in short."),
    outcome: z.string().optional().describe("One of the step's outcomes."),
    failed: z.boolean().optional().describe("The work failed, and the output says why."),
    token: z.string().optional().describe("The visit's token, from the status."),
    variables: z.record(Identifier, VariableValue).optional().describe("Variables to set."),
    artifacts: NamedArtifacts.optional().describe("Named artifacts to set: relative paths."),
  }),
  async run(deps, { run: named, ...payload }): Promise<Outcome<Reply>> {
    const chosen = await chooseRun(deps, named);
    if (!chosen.ok) return chosen;
    const frozen = await readFrozen(deps, chosen.value.run);
    const { template } = frozen;
    const command: AdvanceCommand = { type: "advance", ...payload, session: deps.caller.session };
    const checked = await check(deps, chosen.value, frozen, command);
    if (!checked.ok) return checked;
    const changed = await changeRun(deps, chosen.value, template, {
      command: checked.value,
      handOut: true,
      afterRefusal: (refusal) => recordOf(refusal, checked.value),
    });
    if (!changed.ok) {
      const sent = { token: command.token, fingerprint: fingerprint(command) };
      const earlier = await recallAdvance(deps, chosen.value, changed.refusal, sent);
      return earlier === null ? changed : yes(earlier);
    }
    const { standing, events, replayed } = changed.value;
    return yes(
      replayed === null ? await replyTo(deps, standing, events) : await replyAgain(deps, standing, replayed.seq),
    );
  },
});

/** Looks at the gates of the visit that is meant, once the engine would otherwise let it end. */
async function check(
  deps: Deps,
  standing: Standing,
  frozen: Frozen,
  command: AdvanceCommand,
): Promise<Outcome<AdvanceCommand>> {
  const { template } = frozen;
  const { run } = standing;
  const aimed = isLive(run) && command.failed !== true ? aimAt(run, command) : null;
  if (aimed?.ok !== true || !wouldEnd(deps, standing, template, command)) return yes(command);
  const { place, token } = aimed.visit;
  const gates = rulesOf(template, place)?.gates ?? [];
  const step = findStep(template, place.step);
  const until = (step?.type === "ralph" && step.until) || [];
  if (gates.length + until.length === 0) return yes(command);
  const untrusted = await checkTrust(deps, run.workflow, template, run.templateHash);
  if (untrusted !== null) return nameTrustable(deps, run, frozen, untrusted);
  const scene = { deps, run, projectRoot: projectRootOf(deps, standing) };
  const seen = await checkGates(scene, gates);
  const held = seen.every((one) => one.held);
  return yes({ ...command, token, gates: seen, until: held ? await checkGates(scene, until) : [] });
}

/** Trusting a workflow means its file as it is now; where the run's own template is another, the run is to be named. */
async function nameTrustable(deps: Deps, run: StartedRun, { from }: Frozen, untrusted: Untrusted): Promise<No> {
  const found = await findWorkflow(deps, from);
  const workflow = found.ok && found.value.hash === run.templateHash ? from : run.runId;
  return no({ ...untrusted.refusal, workflow });
}

/** Gates cost time: they are checked only when nothing else stands in the way. */
function wouldEnd(deps: Deps, { run }: Standing, template: Template, command: AdvanceCommand): boolean {
  const everything = Array.from({ length: 100 }, (_, gate) => ({ gate, held: true, what: "" }));
  const decision = decide(template, run, { ...command, gates: everything }, deps.now());
  if (decision.ok) return decision.replayed === undefined;
  const asked = isLive(run) && run.visits.some((visit) => visit.approval === "requested");
  return decision.refusal.code === "approval-needed" && !asked;
}

/** What a refusal leaves in the journal: what the gates showed, that a person was asked, that a budget is spent. */
function recordOf(refusal: Refusal, { token, session, gates = [] }: AdvanceCommand): Command[] {
  const evidence: Command[] = gates.length === 0 ? [] : [{ type: "report-gates", token, session, evidence: gates }];
  if (refusal.code === "gate-failed") return evidence;
  if (refusal.code === "approval-needed") return [...evidence, { type: "request-approval", token, session }];
  return refusal.code === "review-needed" ? [...evidence, { type: "open-review", token, session }] : [];
}
