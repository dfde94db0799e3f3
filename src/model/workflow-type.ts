import type * as z from "zod";
import { oneOf } from "./one-of.ts";

// Apart from the template, so that a journal can be read without the schemas of a whole template.

export const workflowTypes = ["planning", "qa-loop", "implementation", "custom"] as const;

export const ContextActionName = oneOf("context action", ["compact", "clear"]);
export type ContextActionName = z.infer<typeof ContextActionName>;
