import { decide } from "../../src/engine/commands/decide.ts";
import type { Decision } from "../../src/engine/commands/decision.ts";
import { evolve } from "../../src/engine/evolve/evolve.ts";
import { agentWords } from "../../src/engine/view/agent-words.ts";
import { view } from "../../src/engine/view/view.ts";
import type { Command } from "../../src/model/command.ts";
import type { RunEvent } from "../../src/model/event.ts";
import type { RefusalCode } from "../../src/model/refusal/refusal.ts";
import type { Run, Visit } from "../../src/model/run.ts";
import { isLive } from "../../src/model/run-state.ts";
import type { Status } from "../../src/model/status.ts";
import type { Template } from "../../src/model/template.ts";
import { loadTemplate } from "../../src/templates/load.ts";

export const runId = "test-20260101_000000-ab12";
export const hash = "sha256:0123456789abcdef";
const firstMinute = Date.parse("2026-01-01T00:00:00.000Z");

/** A run in memory with a clock that a test turns by hand. */
export interface Driver {
  readonly template: Template;
  readonly run: Run;
  readonly events: readonly RunEvent[];
  /** Decides, and folds what was accepted. */
  send(command: Command): Decision;
  /** Sends, and expects a yes. */
  ok(command: Command): Driver;
  /** Sends, expects a no, and gives its code. */
  no(command: Command): RefusalCode;
  /** Takes the instructions, as an agent must, and ends the visit. */
  done(output?: string): Driver;
  status(): Status;
  visit(): Visit;
  pass(minutes: number): void;
}

export function template(yaml: string): Template {
  const reading = loadTemplate(`name: test\ndescription: a test\n${yaml}`);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems, null, 2));
  return reading.template;
}

export function drive(law: string | Template): Driver {
  const driver = open(typeof law === "string" ? template(law) : law);
  return driver.ok({ type: "start", runId, templateHash: hash });
}

export function open(law: Template): Driver {
  let run: Run = { status: "absent" };
  let minutes = 0;
  const events: RunEvent[] = [];
  const driver: Driver = {
    template: law,
    get run() {
      return run;
    },
    events,
    send(command) {
      const at = new Date(firstMinute + minutes * 60_000).toISOString();
      const decision = decide(law, run, command, at);
      if (!decision.ok) return decision;
      for (const event of decision.events) run = evolve(run, event);
      events.push(...decision.events);
      return decision;
    },
    ok(command) {
      const decision = driver.send(command);
      if (!decision.ok) throw new Error(`refused: ${JSON.stringify(decision.refusal)}`);
      return driver;
    },
    no(command) {
      const decision = driver.send(command);
      if (decision.ok) throw new Error(`accepted: ${JSON.stringify(decision.events)}`);
      return decision.refusal.code;
    },
    done: (output = "done") => driver.ok({ type: "take-instructions" }).ok({ type: "advance", output }),
    status() {
      if (run.status === "absent") throw new Error("absent");
      const world = {
        outputOf: (step: string) => latestOutput(events, step),
        projectRoot: "/project",
        words: agentWords.mcp,
      };
      return view(law, run, isLive(run) ? (run.visits[0] ?? null) : null, world);
    },
    visit() {
      const visit = isLive(run) ? run.visits[0] : undefined;
      if (visit === undefined) throw new Error("no visit is open");
      return visit;
    },
    pass(more) {
      minutes += more;
    },
  };
  return driver;
}

function latestOutput(events: readonly RunEvent[], step: string): string | undefined {
  const event = events.findLast((each) => each.type === "visit-ended" && each.place.step === step);
  return event?.type === "visit-ended" ? event.output : undefined;
}
