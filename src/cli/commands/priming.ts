import { defineCommand, flagOption, runOption, textOption } from "../command/command.ts";
import { printPrimed } from "../print/print-primed.ts";

export const prime = defineCommand({
  name: "prime",
  area: "For the agent",
  operation: "prime",
  positionals: [],
  options: {
    artifacts: { type: "string", value: "IDS", about: "only these ids, separated by commas" },
    force: { type: "boolean", about: "load again what is already in context" },
    "dry-run": { type: "boolean", about: "show what would be loaded and why, without loading it" },
  },
  about: "Load the critical artifacts of a run. Artifacts that are already in context and unchanged are skipped.",
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
