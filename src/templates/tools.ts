import { Tools } from "../model/template.ts";
import type { Outline } from "./outline.ts";
import { error, type Finding } from "./problem.ts";

/**
 * Checks the tools of agents. The schema has to accept what runs of the first edition have frozen, so it checks only those
 * of steps.
 */
export function toolFindings({ agentEntries }: Outline): Finding[] {
  return agentEntries.flatMap(({ path, fields: { tools } }) => {
    const isList = Array.isArray(tools) && tools.every((tool) => typeof tool === "string");
    const issues = isList ? (Tools.safeParse(tools).error?.issues ?? []) : [];
    return issues.map((issue) => error([...path, "tools", ...issue.path.map(Number)], issue.message));
  });
}
