import { resolve } from "node:path";
import { defineCommand, flagOption, type ParsedArguments, runOption, textOption } from "../command/command.ts";
import { printImported, printPulled, printPush, printWorkflowImport } from "../print/print-transfer.ts";
import type { Io } from "../terminal/io.ts";
import { readText } from "../terminal/read-text.ts";
import { UsageError } from "../terminal/usage-error.ts";

const remote = {
  type: "string",
  value: "NAME",
  about: "the git remote (default: the one your branch tracks)",
} as const;
const keep = {
  type: "string",
  value: "SIDE",
  values: ["local", "remote"],
  about: "local or remote: which side wins if both have changed; the other side is kept as a copy",
} as const;

export const push = defineCommand({
  name: "push",
  area: "Set up and maintain",
  operation: "push",
  positionals: ["[run]"],
  options: {
    all: { type: "boolean", about: "send all runs that are live or have changed since their last push" },
    remote,
    keep,
    yes: { type: "boolean", about: "do not ask before a run is sent for the first time" },
  },
  about:
    "Send one run, or all of them, to the git remote of the project. Your branches, files and index are not touched.",
  examples: [
    "holdfast push",
    "holdfast push --all",
    "holdfast push feature-20260131_120000-ab12 --remote origin --yes",
  ],
  input: async (parsed) => ({
    ...onlyOrAll(parsed),
    remote: textOption(parsed, "remote"),
    keep: textOption(parsed, "keep"),
    yes: flagOption(parsed, "yes"),
  }),
  print: printPush,
  failed: (pushed) => "runs" in pushed && pushed.runs.some(({ result }) => result === "refused"),
});

function onlyOrAll(parsed: ParsedArguments): { run: string | undefined; all: boolean | undefined } {
  const [run, all] = [runOption(parsed, parsed.positionals[0]), flagOption(parsed, "all")];
  if (run === undefined || all !== true) return { run, all };
  throw new UsageError("--all sends all runs, so no run can be named", "leave out one of them");
}

export const pull = defineCommand({
  name: "pull",
  area: "Set up and maintain",
  operation: "pull",
  positionals: ["[run]"],
  options: { all: { type: "boolean", about: "include runs that have ended" }, remote, keep },
  about:
    "Fetch one run, or all live runs, from the git remote of the project. Your branches and files are not touched.",
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
  area: "Set up and maintain",
  operation: "export",
  positionals: ["[run]"],
  options: {
    output: { type: "string", short: "o", value: "FILE", about: "the file to write (default: standard output)" },
  },
  about: "Write a run to one file that another machine can import.",
  examples: [
    "holdfast export -o run.holdfast",
    "holdfast export qa-20260131_120000-ab12 | ssh there holdfast import -",
  ],
  input: async (parsed, io) => ({ run: runOption(parsed, parsed.positionals[0]), file: fileToWrite(parsed, io) }),
  print: ({ runId, file, bytes, text }) => text ?? `wrote ${runId} to ${file ?? ""} (${Math.ceil(bytes / 1_000)} kB)\n`,
  texts: "verbatim",
});

export const importRun = defineCommand({
  name: "import",
  area: "Set up and maintain",
  operation: "import",
  positionals: ["<file>"],
  options: {
    keep: {
      type: "string",
      value: "file",
      values: ["file"],
      about: "let the file win if the run has also changed here",
    },
  },
  about: "Import a run from a file that holdfast export wrote; - for standard input. The whole file is checked first.",
  examples: ["holdfast import run.holdfast", "holdfast import - < run.holdfast"],
  input: async (parsed, io) => ({ ...(await fileGiven(parsed, io)), keep: textOption(parsed, "keep") }),
  print: printImported,
});

export const importWorkflow = defineCommand({
  name: "import-workflow",
  area: "Workflows",
  operation: "import-workflow",
  positionals: ["<file>"],
  options: { output: { type: "string", short: "o", value: "NAME", about: "the name of the new workflow" } },
  about: "Convert a FABER workflow (JSON) into a workflow of this project. Parts without an equivalent are listed.",
  examples: ["holdfast import-workflow plugins/faber/config/workflows/default.json -o faber"],
  input: async (parsed, io) => ({ ...(await fileGiven(parsed, io)), output: textOption(parsed, "output") }),
  print: printWorkflowImport,
});

/** Refuses to print a whole run to a terminal. */
function fileToWrite(parsed: ParsedArguments, io: Io): string | undefined {
  const file = textOption(parsed, "output");
  // The reply itself goes there, so no second text may follow it.
  if (file === "/dev/stdout") return undefined;
  if (file !== undefined) return resolve(io.cwd, file);
  if (io.styles.out.columns === null) return undefined;
  throw new UsageError("a run is too long to print to a terminal", "write it to a file with -o FILE, or pipe it");
}

async function fileGiven(parsed: ParsedArguments, io: Io): Promise<{ text: string; source: string }> {
  const file = parsed.positionals[0] ?? "-";
  return { text: await readText(io, file), source: file === "-" ? "standard input" : file };
}
