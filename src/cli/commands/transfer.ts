import { resolve } from "node:path";
import { defineCommand, flagOption, type ParsedArguments, runOption, textOption } from "../command/command.ts";
import { printImported, printPulled, printPushed, printWorkflowImport } from "../print/print-transfer.ts";
import type { Io } from "../terminal/io.ts";
import { readText } from "../terminal/read-text.ts";
import { UsageError } from "../terminal/usage-error.ts";

const remote = {
  type: "string",
  value: "NAME",
  about: "the git remote (else the one that the branch follows)",
} as const;
const keep = {
  type: "string",
  value: "SIDE",
  values: ["local", "remote"],
  about: "local or remote: which side counts where both have gone on; the other is kept as a copy",
} as const;

export const push = defineCommand({
  name: "push",
  area: "upkeep",
  operation: "push",
  positionals: ["[run]"],
  options: { remote, keep, yes: { type: "boolean", about: "do not ask before a run leaves for the first time" } },
  about: "Send a run to the project's git remote. No branch, no file and no index is touched.",
  examples: ["holdfast push", "holdfast push feature-20260131_120000-ab12 --remote origin --yes"],
  input: async (parsed) => ({
    run: runOption(parsed, parsed.positionals[0]),
    remote: textOption(parsed, "remote"),
    keep: textOption(parsed, "keep"),
    yes: flagOption(parsed, "yes"),
  }),
  print: printPushed,
});

export const pull = defineCommand({
  name: "pull",
  area: "upkeep",
  operation: "pull",
  positionals: ["[run]"],
  options: { all: { type: "boolean", about: "also runs that have ended" }, remote, keep },
  about: "Bring runs from the project's git remote: one, or those that are live. No branch or file is touched.",
  examples: ["holdfast pull", "holdfast pull --all", "holdfast pull feature-20260131_120000-ab12 --keep remote"],
  input: async (parsed) => ({
    run: runOption(parsed, parsed.positionals[0]),
    all: flagOption(parsed, "all"),
    remote: textOption(parsed, "remote"),
    keep: textOption(parsed, "keep"),
  }),
  print: printPulled,
  failed: ({ runs }) => runs.some(({ result }) => result === "refused"),
});

export const exportRun = defineCommand({
  name: "export",
  area: "upkeep",
  operation: "export",
  positionals: ["[run]"],
  options: { output: { type: "string", short: "o", value: "FILE", about: "where to write it (else standard output)" } },
  about: "Write a run into one file that another machine can import.",
  examples: [
    "holdfast export feature-20260131_120000-ab12 -o run.holdfast",
    "holdfast export qa-20260131_120000-ab12 | ssh there holdfast import -",
  ],
  async input(parsed, io) {
    const run = runOption(parsed, parsed.positionals[0]);
    if (run === undefined) throw new UsageError("the run is missing", "name one; holdfast runs lists them");
    return { run, file: fileToWrite(parsed, io) };
  },
  print: ({ runId, file, bytes, text }) => text ?? `${runId} is in ${file ?? ""} (${Math.ceil(bytes / 1_000)} kB)\n`,
  verbatim: true,
});

export const importRun = defineCommand({
  name: "import",
  area: "upkeep",
  operation: "import",
  positionals: ["<file>"],
  options: {
    keep: {
      type: "string",
      value: "file",
      values: ["file"],
      about: "the file counts where the run has gone on here, too",
    },
  },
  about: "Take a run from a file that holdfast export has written; - reads standard input. All of it is checked first.",
  examples: ["holdfast import run.holdfast", "holdfast import - < run.holdfast"],
  input: async (parsed, io) => ({ ...(await fileGiven(parsed, io)), keep: textOption(parsed, "keep") }),
  print: printImported,
});

export const importWorkflow = defineCommand({
  name: "import-workflow",
  area: "workflows",
  operation: "import-workflow",
  positionals: ["<file>"],
  options: { output: { type: "string", short: "o", value: "NAME", about: "what the workflow is called here" } },
  about: "Turn a FABER workflow (JSON) into one of this project's. What has no equivalent is listed.",
  examples: ["holdfast import-workflow plugins/faber/config/workflows/default.json -o faber"],
  input: async (parsed, io) => ({ ...(await fileGiven(parsed, io)), output: textOption(parsed, "output") }),
  print: printWorkflowImport,
});

/** A whole run on a terminal helps nobody. */
function fileToWrite(parsed: ParsedArguments, io: Io): string | undefined {
  const file = textOption(parsed, "output");
  // There the answer itself goes, and nothing else may stand behind it.
  if (file === "/dev/stdout") return undefined;
  if (file !== undefined) return resolve(io.cwd, file);
  if (io.styles.out.columns === null) return undefined;
  throw new UsageError("a run is too long for a terminal", "write it into a file with -o FILE, or send it on with |");
}

async function fileGiven(parsed: ParsedArguments, io: Io): Promise<{ text: string; source: string }> {
  const file = parsed.positionals[0] ?? "-";
  return { text: await readText(io, file), source: file === "-" ? "standard input" : file };
}
