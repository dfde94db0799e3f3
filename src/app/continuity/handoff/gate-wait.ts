import { runningGate } from "../../../engine/view/visit-rules.ts";
import type { StartedRun, Visit } from "../../../model/run.ts";
import type { Template } from "../../../model/template.ts";
import type { ContinuityPorts } from "../ports/ports.ts";

/** What an agent must wait for whose gate is running; null if its process has died. The advice comes first: a long command is cut. */
export function gateWait(ports: ContinuityPorts, template: Template, run: StartedRun, visit: Visit): string | null {
  const gate = runningGate(template, run, visit, ports.now(), ports.isAlive);
  if (gate === null) return null;
  if (visit.command !== undefined) {
    const how = "call workflow_status again in a while to get the result";
    return `The command of this step is running (${gate.seconds} s so far): ${how}. It runs: ${gate.commands.join("; ")}`;
  }
  const advice = "change nothing; call workflow_advance again in a while to get the result";
  return `A gate is running (${gate.seconds} s so far): ${advice}. It runs: ${gate.commands.join("; ")}`;
}
