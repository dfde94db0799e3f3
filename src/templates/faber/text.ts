import { parseText } from "../../model/placeholder.ts";
import { meantPlaceholder } from "../meant-placeholder.ts";
import type { FaberFields, Notes } from "./notes.ts";

/** FABER's names for the work item and the plan; they become variables of the run. */
export const faberVariables = ["work_id", "plan_id"] as const;

/** What is collected while a workflow is converted. */
export interface Converting {
  readonly notes: Notes;
  /** The variables that the converted texts use. */
  readonly used: Set<string>;
}

/** Builds the instructions of a step from all its FABER fields, followed by what holds for its phase. */
export function instructionsFromFaber(
  fields: FaberFields,
  path: string,
  added: readonly string[],
  converting: Converting,
): string {
  const { notes } = converting;
  const part = (name: string) => notes.text(fields[name], `${path} ${name}`);
  const [name, description] = [part("name"), part("description")];
  const title = [name, description].filter((text) => text !== undefined).join(": ");
  const command = part("command");
  const skill = part("skill");
  const parts = [
    title,
    part("prompt") ?? (command === undefined ? "" : `Run ${command.startsWith("/") ? command : `/${command}`}`),
    skill === undefined ? "" : `Use the skill ${skill}.`,
    part("context") ?? "",
    listed("With these arguments:", notes.map(fields.arguments, `${path} arguments`)),
    listed("With this configuration:", notes.map(fields.config, `${path} config`)),
    ...added,
  ].filter((text) => text !== "");
  return convertText(parts.join("\n\n") || path, path, converting);
}

/** Converts FABER's placeholders to ours, and escapes text that is or looks like a placeholder of ours by accident. */
export function convertText(text: string, path: string, { notes, used }: Converting): string {
  for (const variable of faberVariables) if (text.includes(`{${variable}}`)) used.add(variable);
  const unfilled = [...text.matchAll(/\{([a-z][\w.]*)\}/gi)].map(([, inner = ""]) => inner);
  for (const inner of new Set(unfilled)) {
    if (!filled.includes(inner)) notes.add(path, `{${inner}}`, "it is not filled in; the agent sees it as written");
  }
  return parseText(text.replaceAll("{{", "{{{{"))
    .map((part) => {
      if (part.type !== "text") return part.source === "{project_root}" ? part.source : `{${part.source}`;
      return part.text === "{" ? "{{" : part.text.replace(/\{([\w.-]+)\}/g, convertName);
    })
    .join("");
}

const filled: readonly string[] = [...faberVariables, "run_id", "project_root"];
const outline = { variables: new Set<string>(faberVariables), stepIds: null };

function convertName(source: string, name: string): string {
  if (name === "run_id") return "{run.id}";
  if (outline.variables.has(name)) return `{vars.${name}}`;
  return meantPlaceholder(outline, name) === null ? source : `{${source}`;
}

function listed(title: string, fields: FaberFields): string {
  const rows = Object.entries(fields).map(([name, each]) => {
    return `- ${name}: ${typeof each === "string" ? each : JSON.stringify(each)}`;
  });
  return rows.length === 0 ? "" : `${title}\n${rows.join("\n")}`;
}
