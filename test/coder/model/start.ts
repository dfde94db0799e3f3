import { onTestFinished } from "vitest";
import { type ScriptedModel, type ScriptedModelOptions, serveScriptedModel } from "./serve.ts";

export type { ScriptedModel, WireName } from "./serve.ts";

interface TestedModelOptions extends ScriptedModelOptions {
  /** For a test of what breaks the rules: it fails otherwise, even when the agent has got over the refusal. */
  readonly allowViolations?: boolean;
}

/** A scripted model until the test ends, which fails if the script has failed or a request broke the rules. */
export async function startScriptedModel(options: TestedModelOptions): Promise<ScriptedModel> {
  const model = await serveScriptedModel(options);
  const { failures, violations } = model;
  onTestFinished(() => {
    model.close();
    if (failures.length > 0) throw failures[0];
    if (violations.length > 0 && !options.allowViolations) throw new Error(violations.join("\n"));
  });
  return model;
}
