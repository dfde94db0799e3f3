import type { LocalCommand } from "../command/command.ts";
import { run } from "./run.ts";

const { agent: _agent, ...options } = run.options;

/** The short form of `holdfast run coder --agent model:<provider>/<model>`. */
export const code: LocalCommand = {
  name: "code",
  area: "Drive an agent",
  positionals: ["[story...]"],
  options: {
    model: { type: "string", value: "MODEL", about: "<provider>/<model> (default: coder.model in your settings)" },
    workflow: { type: "string", value: "NAME", about: "another workflow than coder" },
    review: {
      type: "string",
      value: "WHO",
      values: ["model", "human"],
      about: "who reviews the plan and the change: model (default) or human, which is you",
    },
    ...options,
  },
  about:
    "Take a story from a reviewed plan to reviewed code with Holdfast's own agent and a model of your choice. " +
    "The same as holdfast run coder --agent model:<provider>/<model>.",
  examples: [
    'holdfast code "Let people use a passkey" --model anthropic/claude-sonnet-5-5',
    'holdfast code "Let people use a passkey" --review human',
    'holdfast code "The list is empty" --workflow bugfix --model ollama/qwen3',
    "holdfast code --resume coder-20260101_120000-a1b2",
  ],
  async act(parsed, io, paint, errPaint) {
    const { runWorkflow } = await import("../run/run-workflow.ts");
    const { model, workflow = "coder", ...others } = parsed.options;
    const isResumed = others.resume !== undefined || others.run !== undefined;
    const positionals = [...(isResumed ? [] : [String(workflow)]), ...parsed.positionals];
    const named = { ...parsed, positionals, options: { ...others, agent: `model:${model ?? ""}` } };
    return runWorkflow(named, io, paint, errPaint);
  },
};
