import { membersOf, parseCondition, stepRoots } from "../condition/condition.ts";
import { type MemberPath, parseMemberPath } from "../condition/member-path.ts";
import { placeholdersOf } from "../path-text.ts";
import { namedIn } from "../placeholder.ts";
import type { Template } from "../template.ts";

/**
 * Whether a template uses a variable without declaring it: in a placeholder, a condition, a path, a list to carry, or the
 * environment of a command. Walks every text, so that a new key of the language counts without being named here.
 */
export function readsVariable(template: Template, name: string): boolean {
  const inCommands = `HOLDFAST_VAR_${name.toUpperCase()}`;
  for (const { key, text } of textsIn(template)) {
    if (namesIn(key, text).includes(name)) return true;
    if (new RegExp(`\\b${inCommands}\\b`).test(text)) return true;
  }
  return false;
}

interface KeyedText {
  /** The key that the text, or the list around it, stands under. */
  readonly key: string;
  readonly text: string;
}

function textsIn(value: unknown, key = ""): KeyedText[] {
  if (typeof value === "string") return [{ key, text: value }];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => textsIn(item, key));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([inner, part]) => textsIn(part, inner));
}

function namesIn(key: string, text: string): readonly string[] {
  switch (key) {
    case "condition":
    case "when": {
      const parsed = parseCondition(text, stepRoots);
      return parsed.ok ? membersOf(parsed.condition).flatMap(readBy) : [];
    }
    case "path_from_state": {
      const parsed = parseMemberPath(text);
      return parsed.ok ? variableAt(parsed.path) : [];
    }
    case "path":
      return placeholdersOf(text).map(({ name }) => name);
    case "carry":
      return [text];
    default:
      return namedIn(text).flatMap(({ root, name }) => (root === "vars" ? [name] : []));
  }
}

function readBy({ root, path }: ReturnType<typeof membersOf>[number]): readonly string[] {
  return variableAt(root === "state" ? path : [root, ...path]);
}

/** The state has the run's variables under one name, and the work item and the plan beside it. */
function variableAt([first, second]: MemberPath): readonly string[] {
  if (first === "variables" || first === "vars") return second === undefined ? [] : [String(second)];
  return first === "work_id" || first === "plan_id" ? [first] : [];
}
