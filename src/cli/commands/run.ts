import type { LocalCommand } from "../command/command.ts";
import { variables } from "./agent.ts";

export const run: LocalCommand = {
  name: "run",
  area: "Drive an agent",
  positionals: ["[workflow]", "[request...]"],
  options: {
    agent: {
      type: "string",
      value: "AGENT",
      about: "who does the work: claude (default), command:<program> or model:<provider>/<model>",
    },
    resume: { type: "string", value: "RUN", about: "go on with this run instead of starting one" },
    new: { type: "boolean", about: "start another run even if one is live" },
    var: variables,
    yes: { type: "boolean", about: "start without asking; answers no other question" },
    "dry-run": { type: "boolean", about: "only show what would be done, and the first prompt" },
    permissions: { type: "string", value: "LEVEL", about: "read, edit (default) or full" },
    "max-minutes": { type: "string", value: "N", about: "stop after this time" },
    "max-turns": { type: "string", value: "N", about: "stop after this many turns of the agent" },
    "max-cost": { type: "string", value: "USD", about: "stop when this much is spent" },
    idle: { type: "string", value: "MINUTES", about: "end an agent that stays silent for this long (default: 10)" },
    json: { type: "boolean", about: "print one JSON value a line, and never prompt" },
    wait: { type: "boolean", negatable: true, about: "wait here until a limit of the provider ends (default)" },
  },
  about:
    "Drive an agent through a workflow, unattended, from start to end. Gates run, context actions are carried out, " +
    "and it can be stopped and resumed at any point. Exit code 4: it waits for a person, or for a limit to end.",
  examples: [
    'holdfast run feature "Add dark mode"',
    'holdfast run bugfix "The list is empty" --agent command:./agent.sh --yes',
    "holdfast run --resume feature-20260101_120000-a1b2",
  ],
  async act(parsed, io, paint, errPaint) {
    const { runWorkflow } = await import("../run/run-workflow.ts");
    return runWorkflow(parsed, io, paint, errPaint);
  },
};
