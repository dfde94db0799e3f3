import { ownMark } from "../contract/host.ts";

/** A command that a person types with a slash. */
interface SlashCommand {
  readonly description: string;
  /** What may follow its name, as YAML; empty if nothing may. */
  readonly hint: string;
  readonly text: string;
}

/** The commands of every host that takes them as Markdown files. */
export const slashCommands: Readonly<Record<string, SlashCommand>> = {
  start: {
    description: "Start a Holdfast workflow",
    hint: "<workflow> [request]",
    text: `The user wants to start a workflow: $ARGUMENTS

The first word is the workflow, the rest is the request. If no workflow is named, call \`workflow_list\`, show the workflows
and ask which one to start. Then call \`workflow_start\` with \`workflow\` and \`request\` (the request word for word), and follow
the instructions in the reply. If the reply is a refusal, tell the user what it says and what to do next; do not work around
it.
`,
  },
  status: {
    description: "Show where the Holdfast workflow stands",
    hint: "",
    text: `Call \`workflow_status\` and tell the user in a few lines: the workflow and its request, the current step and task, what is
done, and what it is waiting for. Change nothing.
`,
  },
  advance: {
    description: "Finish the current step of the Holdfast workflow",
    hint: "[what was done]",
    text: `Call \`workflow_status\`. If the current step is not finished yet, say what is missing and stop. Otherwise call
\`workflow_advance\` with the token from the status and your output: what the instructions ask for, or a short summary of
what was done ($ARGUMENTS, if that is not empty). If the step has outcomes, send one of them. Then follow the instructions in the reply.
`,
  },
  "prime-context": {
    description: "Load the critical artifacts of the Holdfast workflow",
    hint: '"[--run-id <id>] [--artifacts <id>,<id>] [--force]"',
    text: `Call \`prime_context\` and read what it returns. These are its arguments, if there are any: $ARGUMENTS

- \`--run-id <id>\` is \`run_id\`: the run, if it is not the one of this session.
- \`--artifacts <id>,<id>\` is \`artifacts\`, a list: load only these. Ids without a flag mean the same.
- \`--force\` is \`force: true\`: load also what is already in context.

Then call \`workflow_status\` and continue where the run stands. Tell the user about artifacts that are reported missing.
`,
  },
};

/** The file of a command: for the plugin of Claude Code, or as one of the files that `init` writes. */
export function commandText({ description, hint, text }: SlashCommand, place: "plugin" | "project"): string {
  const more = place === "project" ? [`# ${ownMark}; commit it.`] : hint === "" ? [] : [`argument-hint: ${hint}`];
  return `${["---", `description: ${description}`, ...more, "---"].join("\n")}\n\n${text}`;
}
