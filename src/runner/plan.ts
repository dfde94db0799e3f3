import { decide } from "../engine/commands/decide.ts";
import { agentWords } from "../engine/view/agent-words.ts";
import { instruct } from "../engine/view/instructions.ts";
import { isLive } from "../model/run-state.ts";
import type { Template } from "../model/template.ts";
import { coverLines, coverOf, isGrant } from "../model/trust/cover.ts";
import type { DriveOptions } from "./driver.ts";
import type { ReadyAgent } from "./prepare.ts";

/** What a runner is about to do, for the person who lets it. */
export interface DrivePlan {
  readonly workflow: string;
  readonly steps: readonly { readonly id: string; readonly type: string; readonly agent: string | null }[];
  /** Everything that Holdfast itself would execute. */
  readonly commands: readonly string[];
  /** What the workflow asks to give its agents: tools, permissions, models. */
  readonly grants: readonly string[];
  readonly agent: string;
  readonly version?: string;
  /** Who pays; null if nobody can tell. */
  readonly pays: string | null;
  /** Null if the agent does as it likes. */
  readonly permissions: string | null;
  readonly note?: string;
  readonly budget: Template["budget"];
  readonly limits: DriveOptions["most"];
}

export function planDrive(template: Template, { agent, facts }: ReadyAgent, options: DriveOptions): DrivePlan {
  const cover = coverOf(template, {});
  return {
    workflow: template.name,
    steps: template.steps.map(({ id, type, agent: by }) => ({ id, type, agent: by ?? null })),
    commands: coverLines(cover.filter((part) => !isGrant(part))),
    grants: coverLines(cover.filter(isGrant)),
    agent: agent.name,
    ...(facts.version !== undefined && { version: facts.version }),
    pays: facts.pays ?? null,
    permissions: agent.can.obey ? options.permissions : null,
    ...(facts.note !== undefined && { note: facts.note }),
    budget: template.budget,
    limits: options.most,
  };
}

/** The first prompt of a new run, which is not started for it. Empty if Holdfast itself does the first step. */
export function firstPrompt(
  template: Template,
  request: string | undefined,
  { agent }: ReadyAgent,
  now: string,
): string {
  const command = { type: "start", runId: "dry-run", templateHash: "", request } as const;
  const started = decide(template, { status: "absent" }, command, now);
  const run = started.ok && started.run.status !== "absent" && isLive(started.run) ? started.run : null;
  const [visit] = run?.visits ?? [];
  if (run === null || visit === undefined || visit.place.type === "command") return "";
  const words = agentWords[agent.can.ends];
  return instruct(template, run, visit, { words, outputOf: () => undefined, request, projectRoot: "." });
}
