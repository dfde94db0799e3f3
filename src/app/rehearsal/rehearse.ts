import { typeVariables } from "../../engine/commands/typed-variables.ts";
import { quote } from "../../model/quote.ts";
import type { Visit } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import { hashTemplate } from "../../templates/hash.ts";
import type { Problem } from "../../templates/problem.ts";
import { error, type Finding } from "../../templates/problem.ts";
import { missingRequired, refuseUnknown } from "../commands/start-variables.ts";
import { type Cue, createCues } from "./cues.ts";
import type { ReadScript } from "./script.ts";
import { createStage, type RehearsedVisit, reasonOf, type Stage } from "./stage.ts";
import { takeTurn } from "./take-turn.ts";

export interface Rehearsal {
  readonly status: string;
  readonly visits: readonly RehearsedVisit[];
  readonly problems: readonly Problem[];
}

/** A step that is entered or tried more often than this is part of a circle. */
const mostRounds = 100;

/** Goes through a workflow by a script, in memory: no command runs, no file is written, and no person is asked. */
export function rehearse(template: Template, script: ReadScript, projectRoot: string): Rehearsal {
  const stage = createStage(template, projectRoot, script.request);
  const cues = createCues(script);
  const stopped = begin(stage, template, script) ?? perform(stage, cues);
  // A walk that broke off has not come to the rest.
  const findings = stopped.length > 0 ? stopped : [...cues.unused(), ...missed(stage, script)];
  return {
    status: stage.player.status(),
    visits: stage.visits(),
    problems: findings.map(script.place),
  };
}

/** Starts the run as a person would; what keeps it from starting. */
function begin({ play }: Stage, template: Template, { request, variables = {} }: ReadScript): Finding[] | null {
  const typed = typeVariables(template, variables);
  const unfit = refuseUnknown(template, variables) ?? (typed.ok ? null : typed);
  if (unfit !== null) {
    const { refusal } = unfit;
    return [error("variable" in refusal ? ["variables", refusal.variable] : ["variables"], reasonOf(refusal))];
  }
  const missing = missingRequired(template, variables);
  if (missing.length > 0) {
    return missing.map(([name]) =>
      error(["variables"], `the workflow needs the variable ${quote(name)}; give it a value`),
    );
  }
  const started = play({
    type: "start",
    runId: "rehearsal-20260101_120000-0000",
    templateHash: hashTemplate(template),
    request,
    variables: typed.ok ? typed.values : {},
  });
  return started.ok ? null : [error([], reasonOf(started.refusal))];
}

function perform(stage: Stage, cues: ReturnType<typeof createCues>): Finding[] {
  for (let visit = stage.player.visit(); visit !== null; visit = stage.player.visit()) {
    if (Math.max(visit.number, visit.attempt) > mostRounds) return [goesInCircles(visit)];
    const cue = cues.next(visit);
    if ("finding" in cue) return [cue.finding];
    const turn = takeTurn(stage, visit, cue);
    if (turn.findings.length > 0) return [...turn.findings];
    if (turn.end === "waits") return [];
    if (turn.end === "again" && !cue.isList) return [neverEnds(cue)];
  }
  return [];
}

function goesInCircles({ place: { step } }: Visit): Finding {
  const message = `the step ${quote(step)} comes up again and again; script what leads to the end of the workflow`;
  return error(["answers"], message);
}

function neverEnds({ path, token }: Cue): Finding {
  const message = `${token} cannot end with this answer; write a list, with another answer for the next try`;
  return error(path, message);
}

/** What the script expects and did not happen. */
function missed({ player, visits, told }: Stage, { expect = {} }: ReadScript): Finding[] {
  const { status = "complete", path } = expect;
  const findings: Finding[] = [];
  const ended = player.status();
  if (ended !== status) findings.push(error(["expect", "status"], `the run is ${ended}, not ${status}`));
  const walked = visits().flatMap(({ token, place }) => (token === null ? [] : [place]));
  const turn = path?.findIndex((place, index) => place !== walked[index]) ?? -1;
  if (path !== undefined && turn !== -1) {
    findings.push(error(["expect", "path", turn], `visit ${turn + 1} is at ${walked[turn] ?? "the end"}`));
  } else if (path !== undefined && walked.length > path.length) {
    findings.push(error(["expect", "path"], `the run goes on at ${walked[path.length] ?? ""}`));
  }
  for (const [place, wanted] of Object.entries(expect.told ?? {})) {
    const texts = told(place);
    const lacking = [wanted].flat().find((piece) => !texts.some((text) => text.includes(piece)));
    if (texts.length === 0) findings.push(error(["expect", "told", place], "no visit came here", { at: "key" }));
    else if (lacking !== undefined)
      findings.push(error(["expect", "told", place], `the agent is not told ${quote(lacking)}`));
  }
  return findings;
}
