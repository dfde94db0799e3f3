import { parseText } from "../model/placeholder.ts";
import type { Notes } from "./faber-notes.ts";

type Fields = Readonly<Record<string, unknown>>;

/** FABER's names for the work item and the plan; they become variables of the run. */
const variables = ["work_id", "plan_id"];

/** Builds the instructions of a step from all its FABER fields. */
export function instructionsFromFaber(fields: Fields, path: string, notes: Notes) {
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
    listed("With these arguments:", fields.arguments),
    listed("With this configuration:", fields.config),
  ].filter((text) => text !== "");
  const text = parts.join("\n\n") || path;
  const used = variables.filter((variable) => text.includes(`{${variable}}`));
  const unfilled = [...text.matchAll(/\{([a-z][\w.]*)\}/gi)].map(([, inner = ""]) => inner);
  for (const inner of new Set(unfilled)) {
    if (!known.includes(inner)) notes.add(path, `{${inner}}`, "it is not filled in; the agent sees it as written");
  }
  return { instructions: translated(text), variables: used };
}

const known = [...variables, "run_id", "project_root"];

/** Converts FABER's placeholders to ours, and escapes text that would be a placeholder of ours by accident. */
function translated(text: string): string {
  const escaped = parseText(text.replaceAll("{{", "{{{{"))
    .map((part) => {
      if (part.type === "text") return part.text === "{" ? "{{" : part.text;
      return part.root === "project_root" ? part.source : `{${part.source}`;
    })
    .join("");
  const renamed = variables.reduce((so, name) => so.replaceAll(`{${name}}`, `{vars.${name}}`), escaped);
  return renamed.replaceAll("{run_id}", "{run.id}");
}

function listed(title: string, value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  const rows = Object.entries(value).map(([name, each]) => {
    return `- ${name}: ${typeof each === "string" ? each : JSON.stringify(each)}`;
  });
  return rows.length === 0 ? "" : `${title}\n${rows.join("\n")}`;
}
