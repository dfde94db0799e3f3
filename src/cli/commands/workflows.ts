import { defineCommand, flagOption } from "../command/command.ts";
import { printGraph, printLint, printMermaid, printWorkflows } from "../print/print-lists.ts";
import { printRehearsal } from "../print/print-rehearsal.ts";
import { readText, refuseMissing } from "../terminal/read-text.ts";
import { plural } from "../terminal/wording.ts";

export const list = defineCommand({
  name: "list",
  area: "Workflows",
  operation: "list",
  positionals: [],
  options: {},
  about: "List the workflows you can start here: those of the project and the built-in ones.",
  examples: ["holdfast list"],
  input: async () => ({}),
  print: ({ workflows }, paint) => printWorkflows(workflows, paint),
});

export const lint = defineCommand({
  name: "lint",
  area: "Workflows",
  operation: "lint",
  positionals: ["[files...]"],
  options: {},
  about: "Check workflow files, by default all of this project. Exits with 1 if one has problems.",
  examples: ["holdfast lint", "holdfast lint .holdfast/workflows/feature.yaml"],
  async input({ positionals }, io) {
    for (const file of positionals) refuseMissing(io, file);
    return { files: [...positionals] };
  },
  print: printLint,
  failed: ({ ok }) => !ok,
});

export const test = defineCommand({
  name: "test",
  area: "Workflows",
  operation: "test",
  positionals: ["<workflow>"],
  options: {
    script: { type: "string", value: "FILE", about: "the answers and gate results, as YAML; - for standard input" },
    told: { type: "boolean", about: "also print what the agent is told at each visit" },
  },
  about:
    "Walk a workflow with scripted answers. Runs and stores nothing. Exits with 1 if the walk is not as the script says.",
  examples: ["holdfast test feature", "holdfast test ship --script test/ship.yaml"],
  async input({ positionals: [workflow], options: { script } }, io) {
    return { workflow, ...(typeof script === "string" && { script: await readText(io, script) }) };
  },
  print: (value, paint, parsed) => printRehearsal(value, paint, flagOption(parsed, "told")),
  failed: ({ ok }) => !ok,
});

export const schema = defineCommand({
  name: "schema",
  area: "Workflows",
  operation: "schema",
  positionals: ["[template|state|event|run-line]"],
  options: {},
  about: "Print the JSON Schema of a format, for editors and other programs.",
  examples: ["holdfast schema > holdfast.schema.json", "holdfast schema event"],
  input: async ({ positionals: [name] }) => ({ name }),
  print: (value) => `${JSON.stringify(value, null, 2)}\n`,
  texts: "verbatim",
});

export const graph = defineCommand({
  name: "graph",
  area: "Workflows",
  operation: "graph",
  positionals: ["<workflow>"],
  options: { mermaid: { type: "boolean", about: "print a Mermaid flow chart" } },
  about: "Show the steps of a workflow with their gates, and the transitions between them.",
  examples: ["holdfast graph feature", "holdfast graph feature --mermaid > feature.mmd"],
  input: async ({ positionals: [workflow] }) => ({ workflow }),
  print: (value, paint, parsed) => (flagOption(parsed, "mermaid") ? printMermaid(value) : printGraph(value, paint)),
});

export const template = defineCommand({
  name: "template",
  area: "Workflows",
  operation: "template",
  positionals: ["<workflow>"],
  options: {},
  about: "Print a workflow, or that of a run, with everything it extends as one file.",
  examples: ["holdfast template feature", "holdfast template feature --json | jq .template.steps[].id"],
  input: async ({ positionals: [workflow] }) => ({ workflow }),
  print: ({ yaml }) => yaml,
});

export const eject = defineCommand({
  name: "eject",
  area: "Workflows",
  operation: "eject",
  positionals: ["<workflow>"],
  options: {},
  about: "Copy a built-in workflow into the project. To change only a part of one, extend it instead.",
  examples: ["holdfast eject feature"],
  input: async ({ positionals: [workflow] }) => ({ workflow }),
  print: ({ workflow, file }) => `${file} now overrides the built-in workflow ${workflow}\n`,
});

export const trust = defineCommand({
  name: "trust",
  area: "Workflows",
  operation: "trust",
  positionals: ["<workflow>"],
  options: { yes: { type: "boolean", about: "do not ask for confirmation" } },
  about: "Trust what a workflow or a run executes here, exactly as it is now. Agents cannot do this.",
  examples: ["holdfast trust feature"],
  input: async (parsed) => ({ workflow: parsed.positionals[0], yes: flagOption(parsed, "yes") }),
  print: ({ workflow, commands, covers }) =>
    covers.length === 0
      ? `${workflow} is trusted; it runs no commands\n`
      : `${workflow} is trusted${commands.length === 0 ? "" : ` with ${plural(commands.length, "command")}`}\n${covers.map((each) => `  ${each}\n`).join("")}`,
  texts: "revealed",
});
