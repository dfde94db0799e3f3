import { areas, type CommandWords, type OptionSpec } from "./command/command.ts";
import { callOf, commonOptions } from "./command/parse.ts";
import { commands } from "./commands.ts";
import { beside, wrap } from "./terminal/layout.ts";
import type { Paint } from "./terminal/paint.ts";
import { wrapText } from "./terminal/wrap-text.ts";

/** What the program does besides commands; each explains itself with --help. */
export const faces: readonly CommandWords[] = [
  face("mcp", "Serve an agent over MCP, on standard input and output."),
  face("hook", "Answer one event of an agent program, as its hooks ask."),
  face("statusline", "One line on where the run stands, for Claude Code's status line."),
];

function face(name: string, about: string): CommandWords {
  return { name, area: "upkeep", about, positionals: [], options: {}, examples: [] };
}

export function mainHelp(paint: Paint): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const blocks = areas.map((area) => {
    const rows = [...commands, ...faces].filter((command) => command.area === area);
    const lines = rows.map(({ name, about }) => row(name.padEnd(width), firstSentence(about), paint));
    return `${paint.strong(area)}\n${lines.join("")}`;
  });
  const texts = [
    "Holdfast keeps an AI coding agent on its workflow, whatever happens to its context.",
    "Usage: holdfast <command> [options]",
    ...blocks.map((block) => block.trimEnd()),
    "Every command takes --json, --run <id> and --help.\nExit codes: 0 done, 1 refused, 2 usage, 3 the world failed.",
    'Begin with: holdfast list, then holdfast start feature --summary "..."',
  ];
  return `${texts.map((text) => wrapText(text, paint.columns)).join("\n\n")}\n`;
}

/** What commands with the same first word do. */
export function familyHelp(word: string, family: readonly CommandWords[], paint: Paint): string {
  const width = Math.max(...family.map(({ name }) => name.length));
  const rows = family.map(({ name, about }) => row(name.padEnd(width), firstSentence(about), paint));
  return `Usage: holdfast ${word} <command> [options]\n\n${rows.join("")}\nEach explains itself with --help.\n`;
}

export function commandHelp(command: CommandWords, paint: Paint): string {
  const own =
    Object.keys(command.options).length === 0 ? [] : [section("Options", optionRows(command.options, paint), paint)];
  const texts = [
    wrap(command.about.split(" "), { columns: paint.columns, indent: "" }).join("\n"),
    `Usage: ${callOf(command)}`,
    ...own,
    section("Everywhere", optionRows(commonOptions, paint), paint),
    section("Examples", command.examples.map((example) => `  ${example}\n`).join(""), paint),
  ];
  return `${texts.join("\n\n")}\n`;
}

function section(title: string, rows: string, paint: Paint): string {
  return `${paint.strong(title)}\n${rows.trimEnd()}`;
}

function optionRows(options: Readonly<Record<string, OptionSpec>>, paint: Paint): string {
  const rows = Object.entries(options).map(([name, { value, short, about }]) => [
    `${short === undefined ? "" : `-${short}, `}--${name}${value ? ` ${value}` : ""}`,
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
