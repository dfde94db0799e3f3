import { defineCommand, flagOption, runOption, textOption } from "../command/command.ts";
import { printPrimed } from "../print/print-primed.ts";

export const prime = defineCommand({
  name: "prime",
  area: "an agent's calls",
  operation: "prime",
  positionals: [],
  options: {
    artifacts: { type: "string", value: "IDS", about: "only these, with commas between" },
    force: { type: "boolean", about: "also what is in context already" },
    "dry-run": { type: "boolean", about: "only show what would be loaded, and why" },
  },
  about: "Load the critical artifacts of a run. What is in context already, unchanged, is not loaded again.",
  examples: ["holdfast prime", "holdfast prime --artifacts specification,protocol --force", "holdfast prime --dry-run"],
  input: async (parsed) => ({
    run: runOption(parsed),
    artifacts: textOption(parsed, "artifacts")
      ?.split(",")
      .map((id) => id.trim())
      .filter((id) => id !== ""),
    force: flagOption(parsed, "force"),
    dryRun: flagOption(parsed, "dry-run"),
  }),
  print: printPrimed,
});
