import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { contractProblem, hookOutput } from "../../hosts/contract/contract.ts";
import { type Finding, mend, well } from "../../hosts/contract/finding.ts";
import type { HookCall } from "../../hosts/contract/hook-call.ts";
import { contracts, projectVariables } from "../../hosts/contracts.ts";
import type { Diagnosis, Surroundings } from "../../hosts/diagnose/diagnose.ts";
import type { Io } from "../terminal/io.ts";
import { plural } from "../terminal/wording.ts";
import { checkShim } from "./check-shim.ts";
import { measure } from "./measure.ts";
import { type Called, runCall } from "./run-call.ts";
import { type Sample, withSample } from "./sample-project.ts";

/** Runs the installed hook commands in a sample project, and measures them. */
export async function tryHooks(diagnosis: Diagnosis, around: Surroundings, io: Io): Promise<Finding[]> {
  const { shim, calls, title } = diagnosis;
  if (shim === null)
    return [{ name: "tried", status: "note", message: "skipped, because the shims have to be fixed first" }];
  io.progress(`running the hooks of ${title} ...`);
  const found = await checkShim(shim, around, io);
  if (!found.isThis || calls.length === 0) return [...found.findings];
  const tried = await withSample(io, async (sample) => {
    const findings: Finding[] = [];
    const call = (hook: HookCall) =>
      callHook(hook, sample, projectVariables(diagnosis.host, around.project), around, io);
    for (const event of telling) {
      const hook = calls.find((each) => each.event === event);
      if (hook !== undefined) findings.push(verdictOn(diagnosis, hook, sample, await call(hook)));
    }
    if (findings.some(({ status }) => status === "mend")) return findings;
    io.progress(`timing ${plural(calls.length, "hook")} of ${title} ...`);
    const timed = calls.map((hook) => ({ event: hook.event, call: () => call(hook) }));
    return [...findings, await measure(timed, around.project, io)];
  });
  return [...found.findings, ...tried];
}

/** The events after which the output shows whether a hook has found the run. */
const telling = ["PreCompact", "SessionStart"];

/** The command comes from the project; its input points to the sample project. */
function callHook(
  { event, command, args }: HookCall,
  { folder }: Sample,
  variables: Readonly<Record<string, string>>,
  { project }: Surroundings,
  io: Io,
) {
  const input = {
    session_id: `holdfast-doctor-${randomUUID()}`,
    transcript_path: join(folder, "transcript.jsonl"),
    cwd: folder,
    hook_event_name: event,
    ...fieldsOf(event),
  };
  const env = { ...io.env, ...variables };
  return runCall({ command, args, cwd: project, env, input: JSON.stringify(input) });
}

function fieldsOf(event: string): object {
  switch (event) {
    case "SessionStart":
      return { source: "compact" };
    case "PostToolUse":
      return { tool_name: "Write", tool_input: { file_path: "sample.txt" } };
    case "Stop":
      return { stop_hook_active: false };
    case "SessionEnd":
      return { reason: "other" };
    default:
      return { trigger: "manual", custom_instructions: "" };
  }
}

function verdictOn({ host }: Diagnosis, { event }: HookCall, { runId }: Sample, called: Called): Finding {
  const next = "see .holdfast/hooks.log, and run it by hand: holdfast hook --help";
  if (called.exitCode !== 0)
    return mend(event, `the hook exited with code ${called.exitCode ?? "none (timeout)"}`, next);
  const problem = contractProblem(contracts[host], event, called.output);
  if (problem !== null) return mend(event, `the host would ignore its output: ${problem}`, next);
  // Some hosts accept no text for some events; there, empty output is correct.
  const speaks = hookOutput(contracts[host], event, { context: "text", instructions: "text" }) !== "";
  if (speaks && !called.output.includes(runId))
    return mend(event, "the installed hook does not mention the sample run", next);
  return well(event, speaks ? "the installed hook restores the sample run" : "the installed hook works");
}
