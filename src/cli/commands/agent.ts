import { quote } from "../../model/quote.ts";
import { defineCommand, flagOption, type ParsedArguments, runOption, textOption } from "../command/command.ts";
import { pairs, requestIn } from "../command/read-values.ts";
import { printReply, printStarted } from "../print/print-status.ts";
import { editText } from "../terminal/edit-text.ts";
import type { Io } from "../terminal/io.ts";
import { readText } from "../terminal/read-text.ts";
import { oneLine } from "../terminal/sanitize.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { wrapText } from "../terminal/wrap-text.ts";

export const variables = {
  type: "string",
  multiple: true,
  value: "NAME=VALUE",
  about: "set a variable; repeatable",
} as const;

export const start = defineCommand({
  name: "start",
  area: "For the agent",
  operation: "start",
  positionals: ["<workflow>", "[request...]"],
  options: {
    summary: {
      type: "string",
      value: "TEXT",
      mayBeEmpty: true,
      about: "a title for the run (default: the first line of the request)",
    },
    var: variables,
    new: { type: "boolean", about: "start another run even if one is live" },
    trust: { type: "boolean", about: "trust the workflow's commands without asking (for CI)" },
  },
  about:
    "Start a workflow for a request, or show the run of it that is live in this worktree. " +
    "The request is kept word for word; - reads it from standard input.",
  examples: [
    'holdfast start feature "Add dark mode, and follow the system by default"',
    "holdfast start feature - < request.md",
    'holdfast start qa-loop --var scope="the API"',
  ],
  input: async (parsed, io) => ({
    workflow: parsed.positionals[0],
    request: await requestIn(parsed.positionals.slice(1), io),
    summary: textOption(parsed, "summary"),
    variables: pairs(parsed, "var"),
    another: flagOption(parsed, "new"),
    trust: flagOption(parsed, "trust"),
  }),
  print: printStarted,
});

export const next = defineCommand({
  name: "next",
  area: "For the agent",
  operation: "next",
  positionals: [],
  options: {
    token: { type: "string", value: "TOKEN", about: "the visit, as status shows it" },
    task: { type: "string", value: "ID", about: "claim this task, where several agents work on a loop" },
  },
  about: "Show what to do now. If a compaction or clear is due, next asks for it; status only mentions it.",
  examples: ["holdfast next", "holdfast next --task t2"],
  input: async (parsed) => ({
    run: runOption(parsed),
    token: textOption(parsed, "token"),
    task: textOption(parsed, "task"),
  }),
  print: printReply,
});

export const tasks = defineCommand({
  name: "tasks",
  area: "For the agent",
  operation: "tasks",
  positionals: ["<loop>"],
  options: { file: { type: "string", value: "FILE", about: "read the tasks from a file instead of standard input" } },
  about:
    "Set the tasks of a loop: a JSON list of {id, title, description, depends_on}, or one title per line (ids t1, t2, ...). " +
    "The JSON list [] skips the loop; empty input is refused.",
  examples: [
    "holdfast tasks build --file tasks.json",
    "holdfast tasks build < titles.txt",
    "echo '[]' | holdfast tasks build",
  ],
  input: async (parsed, io) => ({
    run: runOption(parsed),
    loop: parsed.positionals[0],
    tasks: readTasks(await taskText(parsed, io)),
  }),
  print: printReply,
});

export const advance = defineCommand({
  name: "advance",
  area: "For the agent",
  operation: "advance",
  positionals: ["[-]"],
  options: {
    output: { type: "string", value: "TEXT", mayBeEmpty: true, about: "what you did" },
    "output-file": { type: "string", value: "FILE", about: "read the output from a file; - for standard input" },
    outcome: { type: "string", value: "NAME", about: "one of the outcomes of the step" },
    token: { type: "string", value: "TOKEN", about: "the token of the visit, as status shows it" },
    var: variables,
    artifact: { type: "string", multiple: true, value: "NAME=PATH", about: "a file that later steps use; repeatable" },
  },
  about: "Finish the current visit. Its gates run first.",
  examples: [
    'holdfast advance --output "toggle works, tests pass"',
    "holdfast advance --outcome approved --output-file review.md",
  ],
  input: async (parsed, io) => ({
    run: runOption(parsed),
    output: await outputOf(parsed, io),
    outcome: textOption(parsed, "outcome"),
    token: textOption(parsed, "token"),
    variables: pairs(parsed, "var"),
    artifacts: pairs(parsed, "artifact"),
  }),
  print: printReply,
});

export const fail = defineCommand({
  name: "fail",
  area: "For the agent",
  operation: "advance",
  positionals: [],
  options: {
    reason: { type: "string", value: "TEXT", about: "why (required)" },
    token: { type: "string", value: "TOKEN", about: "the token of the visit, as status shows it" },
  },
  about: "Report that the current visit failed. The workflow decides what happens next: retry, skip or abort.",
  examples: ['holdfast fail --reason "the service cannot be reached from here"'],
  async input(parsed) {
    const reason = textOption(parsed, "reason");
    if (!reason?.trim()) throw new UsageError(`--reason ${reason === undefined ? "is missing" : "must not be empty"}`);
    return { run: runOption(parsed), output: reason, failed: true, token: textOption(parsed, "token") };
  },
  print: printReply,
});

async function outputOf(parsed: ParsedArguments, io: Io): Promise<string> {
  const text = textOption(parsed, "output");
  const file = textOption(parsed, "output-file");
  const [dash] = parsed.positionals;
  if ([text, file, dash].filter((each) => each !== undefined).length > 1) {
    throw new UsageError("the output is given more than once", "use one of --output, --output-file and -");
  }
  if (dash !== undefined && dash !== "-") {
    throw new UsageError(`unexpected argument ${quote(dash)}`, "holdfast advance --output TEXT");
  }
  const source = file ?? dash;
  return source === undefined ? (text ?? "") : readText(io, source);
}

/** A person at a terminal writes the list in their editor, if they have set one, and otherwise line by line. */
async function taskText(parsed: ParsedArguments, io: Io): Promise<string> {
  const file = textOption(parsed, "file");
  if (file !== undefined || !io.isTerminal || flagOption(parsed, "json")) return readText(io, file ?? "-");
  const editor = io.env.VISUAL || io.env.EDITOR;
  if (editor) return editText(editor, `\n${taskFormat.map((line) => `# ${line}\n`).join("")}`);
  io.err(wrapText(`${taskFormat[0]}\n`, io.styles.err.columns ?? Number.POSITIVE_INFINITY));
  return readText(io, "-");
}

const taskFormat = [
  "One task title per line, or a JSON list of {id, title, description}; [] skips the loop.",
  "Lines that begin with # are ignored. Save an empty list to change nothing.",
];

/** Empty input is more likely a broken pipe than a request to skip the loop, which `[]` says explicitly. */
function readTasks(text: string): unknown {
  if (text.trim() === "") {
    throw new UsageError("the input has no tasks", "send at least one, or [] to skip the loop");
  }
  if (!/^\s*[[{]/.test(text)) {
    const titles = text.split("\n").map((line) => line.trim());
    return titles.filter((title) => title !== "").map((title, index) => ({ id: `t${index + 1}`, title }));
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const problem = oneLine(error.message);
    throw new UsageError(`the tasks are not valid JSON: ${problem}`, 'send [{"id": "t1", "title": "..."}]');
  }
}
