import { quote } from "../../model/quote.ts";
import type { Template } from "../../model/template.ts";
import { truncateToEnds } from "../../model/truncate.ts";
import { outputLimit } from "./instructions.ts";

/** The loop that a name is about, alone or with one of its tasks; null for any other step. */
export function loopIn({ steps }: Template, name: string): string | null {
  const step = steps.find(({ id }) => id === name);
  if (step !== undefined) return step.type === "loop" ? name : null;
  return steps.find(({ id, type }) => type === "loop" && name.startsWith(`${id}.`))?.id ?? null;
}

/** The last output of each task of a loop that has one, by the task's id. */
export type TaskOutputs = ReadonlyMap<
  string,
  { readonly title: string; readonly output: string; readonly failed: boolean }
>;

/** The output of one task or, without a task, those of all of them, which share the room evenly. */
export function loopOutput(outputs: TaskOutputs, task: string): string | null {
  if (task !== "") return outputs.get(task)?.output ?? null;
  if (outputs.size === 0) return null;
  const share = Math.floor(outputLimit / outputs.size);
  const texts = [...outputs].map(([id, { title, output, failed }]) => {
    const head = `${id} ${quote(title)}${failed ? " (failed)" : ""}:\n`;
    return `${head}${truncateToEnds(output, Math.max(shortest, share - head.length - markLength))}`;
  });
  return texts.join("\n\n");
}

/** Below this, an output says nothing any more. */
const shortest = 40;
/** Room for the line that says how much was left out, and the space between two outputs. */
const markLength = 40;
