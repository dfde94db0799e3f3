import * as z from "zod";
import { Name } from "./ids.ts";
import { oneOf } from "./one-of.ts";
import { joinWords, quote } from "./quote.ts";
import { fixedTriggers, parseTrigger } from "./trigger.ts";

const artifactTypes = ["json", "markdown", "text", "directory", "git_info", "skill", "work_plugin"] as const;

const TriggerText = z.string().refine((text) => parseTrigger(text) !== null, {
  error: ({ input }) =>
    `${quote(String(input))} is not a trigger; use session_start, compaction, manual, phase_transition, ` +
    "phase_transition:<from>-><to>, phase_start:<phase> or step_start:<step>",
  params: { choices: fixedTriggers },
});

const sources = ["path", "path_from_state", "command"] as const;

const empty = "must not be empty";
const positive = z.int("must be a whole number").min(1, "must be 1 or more");

const Artifact = z
  .strictObject({
    id: Name,
    type: oneOf("artifact type", artifactTypes),
    name: z.string().min(1, empty).optional(),
    path: z.string().min(1, empty).optional(),
    path_from_state: z.string().min(1, empty).optional(),
    command: z
      .union([z.string().min(1, empty), z.array(z.string()).min(1, empty)], {
        error: "must be a command line or a list of arguments",
      })
      .optional(),
    description: z.string().optional(),
    required: z.boolean().optional(),
    condition: z.string().min(1, empty).optional(),
    reload_triggers: z.array(TriggerText).optional(),
    select: z.string().min(1, empty).optional(),
    latest: positive.optional(),
    max_bytes: positive.optional(),
    load: oneOf("way to load", ["full", "head_tail", "summary", "pointer"]).optional(),
  })
  .superRefine((artifact, context) => {
    const given = sources.filter((source) => artifact[source] !== undefined);
    if (artifact.type === "git_info" ? given.length === 0 : given.length === 1) return;
    if ((artifact.type === "skill" || artifact.type === "work_plugin") && given.length === 0 && artifact.name) return;
    context.addIssue({
      code: "custom",
      message: `artifact ${quote(artifact.id)} ${sourceProblem(artifact.type, given)}`,
    });
  });
export type Artifact = z.infer<typeof Artifact>;

function sourceProblem(type: (typeof artifactTypes)[number], given: readonly string[]): string {
  if (type === "git_info") return `is git_info, which cannot have ${joinWords(given, "or")}`;
  if (given.length > 1) return `has ${joinWords(given, "and")}; keep one of them`;
  const named = type === "skill" || type === "work_plugin" ? "a name, or " : "";
  return `needs ${named}one of path, path_from_state and command`;
}

export const CriticalArtifacts = z.strictObject({
  always_load: z.array(Artifact).optional(),
  conditional_load: z.array(Artifact).optional(),
});
