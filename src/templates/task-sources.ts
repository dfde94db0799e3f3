import { choices } from "../model/nearest.ts";
import { namedIn } from "../model/placeholder.ts";
import { quote } from "../model/quote.ts";
import { insideOnly, isOutside } from "./gates.ts";
import { type Entry, fieldsOf, idOf, type Outline, textOf } from "./outline.ts";
import { error, type Finding, type Path, warning } from "./problem.ts";

/** Checks where loops get their tasks from: a file inside the project, or the whole output of another step. */
export function sourceFindings(template: Outline): Finding[] {
  return template.steps.flatMap((step) => {
    const path = [...step.path, "tasks"];
    const { file, output } = fieldsOf(step.fields.tasks);
    const isLost = typeof file === "string" && isOutside(file);
    return [
      ...(isLost ? [error([...path, "file"], insideOnly)] : []),
      ...(typeof output === "string" ? outputFindings(template, step, output, [...path, "output"]) : []),
    ];
  });
}

function outputFindings({ steps, stepIds }: Outline, loop: Entry, name: string, path: Path): Finding[] {
  if (stepIds === null) return [];
  if (!stepIds.has(name))
    return [error(path, `${quote(name)} is not a step${choices(name, stepIds, "the steps are")}`)];
  const index = steps.findIndex(({ fields }) => idOf(fields) === name);
  const named = steps[index]?.fields;
  if (named?.id === loop.fields.id) return [error(path, `${quote(name)} is the loop itself; name an earlier step`)];
  if (named?.type === "loop")
    return [error(path, `${quote(name)} is a loop, which has an output for each of its tasks`)];
  if (named?.type === "command") {
    return [
      error(path, `${quote(name)} keeps only the end of what it prints; write its command as tasks: { run: ... }`),
    ];
  }
  const isLater = index > steps.indexOf(loop);
  return isLater ? [warning(path, `${quote(name)} comes later, so it may have no output yet`)] : [];
}

/** What has no effect beside a source. */
export function sourceWarnings({ steps }: Outline): Finding[] {
  return steps.flatMap(({ path, fields }) => {
    if (fields.type !== "loop" || fields.tasks === undefined) return [];
    const file = textOf(fieldsOf(fields.tasks).file) ?? "";
    const unseen = fields.instructions === undefined ? [] : [warning([...path, "instructions"], notShown)];
    const named = namedIn(file)[0];
    if (named === undefined) return unseen;
    return [
      ...unseen,
      warning([...path, "tasks", "file"], `placeholders are not filled here; ${named.source} stays as it is`),
    ];
  });
}

const notShown = "are never shown: Holdfast gets the tasks itself, so no agent is asked for them";
