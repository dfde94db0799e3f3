import { areas, type CommandWords, type OptionSpec } from "./command/command.ts";
import { callOf, commonOptions } from "./command/parse.ts";
import { commands } from "./commands.ts";
import { beside, wrap } from "./terminal/layout.ts";
import type { Paint } from "./terminal/paint.ts";
import { wrapText } from "./terminal/wrap-text.ts";

/** What the program does besides commands; each has a --help of its own. */
export const faces: readonly CommandWords[] = [
  face("mcp", "Run the MCP server for an agent, over standard input and output."),
  face("hook", "Handle one hook event of an agent program."),
  face("statusline", "Print one line about the run, for the status line of Claude Code."),
];

function face(name: string, about: string): CommandWords {
  return { name, area: "Set up and maintain", about, positionals: [], options: {}, examples: [] };
}

/** The commands that matter most, each in one line. */
const mostUsed: readonly (readonly [name: string, about: string])[] = [
  ["init", "Set up this project for your agent"],
  ["list", "List the workflows you can start here"],
  ["start", "Start a workflow for a request"],
  ["status", "Show where a run stands"],
  ["next", "Show what to do now"],
  ["advance", "Finish the current visit"],
  ["approve", "Approve the step that waits for approval"],
  ["answer", "Answer the question that a run is waiting on"],
  ["runs", "List the runs of this project"],
  ["doctor", "Check how your agent is set up in this project"],
];

const commonNotes = [
  "All take --json, --run <id> and --help; mcp, hook and statusline only --help.",
  "Exit codes: 0 done, 1 refused, 2 usage, 3 system error, 4 waits, 130 stopped.",
];

/** Fits a screen of 24 lines: the commands that matter most, and the names of the others. */
export function mainHelp(paint: Paint): string {
  const width = Math.max(...mostUsed.map(([name]) => name.length));
  const first = new Set(mostUsed.map(([name]) => name));
  const others = new Set([...commands, ...faces].map(({ name }) => name.split(" ")[0] ?? name));
  const names = [...others].filter((name) => !first.has(name));
  const texts = [
    "Keeps an AI coding agent on its workflow, whatever happens to its context.\n",
    "Usage: holdfast <command> [options]\n\n",
    ...mostUsed.map(([name, about]) => row(name.padEnd(width), about, paint)),
    `\n${wrap(names, { columns: paint.columns, indent: "  ", begin: paint.strong("Also:") }).join("\n")}\n`,
    "\nholdfast help --all says what each does; holdfast <command> --help has examples.\n",
    ...commonNotes.map((note) => `${note}\n`),
  ];
  return texts.map((text) => wrapText(text, paint.columns)).join("");
}

/** Every command with what it does. */
export function wholeHelp(paint: Paint): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const blocks = areas.map((area) => {
    const rows = [...commands, ...faces].filter((command) => command.area === area);
    const lines = rows.map(({ name, about }) => row(name.padEnd(width), firstSentence(about), paint));
    return `${paint.strong(area)}\n${lines.join("")}`.trimEnd();
  });
  const texts = ["Usage: holdfast <command> [options]", ...blocks, commonNotes.join("\n")];
  return `${texts.map((text) => wrapText(text, paint.columns)).join("\n\n")}\n`;
}

/** The help for commands with the same first word, such as `track`. */
export function familyHelp(word: string, family: readonly CommandWords[], paint: Paint): string {
  const width = Math.max(...family.map(({ name }) => name.length));
  const rows = family.map(({ name, about }) => row(name.padEnd(width), firstSentence(about), paint));
  return `Usage: holdfast ${word} <command> [options]\n\n${rows.join("")}\nRun holdfast ${word} <command> --help for more.\n`;
}

export function commandHelp(command: CommandWords, paint: Paint): string {
  const own =
    Object.keys(command.options).length === 0 ? [] : [section("Options", optionRows(command.options, paint), paint)];
  const common = Object.fromEntries(Object.entries(commonOptions).filter(([name]) => !(name in command.options)));
  const texts = [
    wrap(command.about.split(" "), { columns: paint.columns, indent: "" }).join("\n"),
    wrap(callOf(command).split(" "), { columns: paint.columns, indent: "  ", begin: "Usage:" }).join("\n"),
    ...own,
    section("Common options", optionRows(common, paint), paint),
    section("Examples", command.examples.map((example) => `  ${example}\n`).join(""), paint),
  ];
  return `${texts.join("\n\n")}\n`;
}

function section(title: string, rows: string, paint: Paint): string {
  return `${paint.strong(title)}\n${rows.trimEnd()}`;
}

function optionRows(options: Readonly<Record<string, OptionSpec>>, paint: Paint): string {
  const rows = Object.entries(options).map(([name, { value, short, negatable, about }]) => [
    `${short === undefined ? "" : `-${short}, `}--${negatable ? "[no-]" : ""}${name}${value ? ` ${value}` : ""}`,
    about,
  ]);
  const width = Math.max(...rows.map(([call = ""]) => call.length));
  return rows.map(([call = "", about = ""]) => row(call.padEnd(width), about, paint)).join("");
}

function row(name: string, text: string, paint: Paint): string {
  return beside(`  ${name}  `, text, paint.columns);
}

function firstSentence(text: string): string {
  return text.split(/(?<=[.:;]) /)[0]?.replace(/[.:;]$/, "") ?? text;
}
