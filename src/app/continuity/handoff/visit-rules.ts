import { findStep, stepSettings } from "../../../engine/step-settings.ts";
import type { AgentLimits, VisitRules } from "../../../handoff/rules.ts";
import { commandText } from "../../../model/command-text.ts";
import type { Gate } from "../../../model/gate.ts";
import type { Place } from "../../../model/place.ts";
import type { Template } from "../../../model/template.ts";

/** The rules that come with every visit to this place. */
export function rulesOfPlace(template: Template, place: Place): VisitRules {
  const settings = stepSettings(template, place);
  const step = findStep(template, place.step);
  const until = step?.type === "ralph" ? (step.until ?? []) : [];
  return {
    gates: (settings?.gates ?? []).map(gateText),
    until: until.map(gateText),
    agent: limitsOf(template, settings?.agent ?? null),
  };
}

function gateText(gate: Gate): string {
  if ("approval" in gate) return "a person approves";
  if ("run" in gate) return `\`${commandText(gate.run)}\` passes`;
  const files = [gate.exists].flat();
  return `${files.join(" and ")} ${files.length === 1 ? "exists" : "exist"}`;
}

function limitsOf({ agents = {} }: Template, name: string | null): AgentLimits | null {
  const agent = name !== null && Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (name === null || agent === undefined) return null;
  return { name, description: agent.description, tools: agent.tools ?? [], cannot: agent.cannot ?? [] };
}
