import * as z from "zod";
import { McpSettings } from "./mcp/server-settings.ts";

const Words = z.array(z.string().trim().min(1));

/** The part `coder` of the user's own settings. No project can change it. */
export const CoderSettings = z.strictObject({
  /** The model of `holdfast code` without `--model`, as `<provider>/<model>`. */
  model: z.string().optional(),
  /** The tokens of a request and its reply together. */
  window: z.int().min(4_000).optional(),
  /** Who sums up what leaves a full window; by default the model where its provider has a cache, which makes it cheap. */
  summary: z.enum(["model", "digest"]).optional(),
  /** Servers that speak OpenAI's chat format, by the name that goes before the model. `key` names a variable. */
  providers: z.record(z.string(), z.strictObject({ base_url: z.url(), key: z.string().optional() })).optional(),
  /** Commands by their first words, beside the usual ones. */
  allow: Words.optional(),
  ask: Words.optional(),
  deny: Words.optional(),
  /** Names of files that the tools do not touch, beside the usual ones. */
  deny_files: Words.optional(),
  /** MCP servers whose tools the model gets, by name. */
  mcp: McpSettings.optional(),
});
export type CoderSettings = z.infer<typeof CoderSettings>;
