import { areas, type CliCommand, type OptionSpec } from "./command.ts";
import { commands } from "./commands.ts";
import type { Paint } from "./paint.ts";
import { commonOptions } from "./parse.ts";

export function mainHelp(paint: Paint): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const blocks = areas.map((area) => {
    const rows = commands.filter((command) => command.area === area);
    return `${paint.strong(area)}\n${rows.map(({ name, about }) => `  ${name.padEnd(width)}  ${firstSentence(about)}\n`).join("")}`;
  });
  return (
    "Holdfast keeps an AI coding agent on its workflow, whatever happens to its context.\n\n" +
    `Usage: holdfast <command> [options]\n\n${blocks.join("\n")}\n` +
    "Every command takes --json, --run <id> and --help. Exit codes: 0 done, 1 refused, 2 usage, 3 the world failed.\n" +
    'Begin with: holdfast list, then holdfast start feature --summary "..."\n'
  );
}

export function commandHelp(command: CliCommand, paint: Paint): string {
  const call = ["holdfast", command.name, ...command.positionals, "[options]"].join(" ");
  const examples = command.examples.map((example) => `  ${example}\n`).join("");
  const own =
    Object.keys(command.options).length === 0 ? "" : `\n${paint.strong("Options")}\n${optionRows(command.options)}`;
  return (
    `${command.about}\n\nUsage: ${call}\n${own}\n${paint.strong("Everywhere")}\n${optionRows(commonOptions)}` +
    `\n${paint.strong("Examples")}\n${examples}`
  );
}

function optionRows(options: Readonly<Record<string, OptionSpec>>): string {
  const rows = Object.entries(options).map(([name, { value, about }]) => [
    `--${name}${value ? ` ${value}` : ""}`,
    about,
  ]);
  const width = Math.max(...rows.map(([call = ""]) => call.length));
  return rows.map(([call = "", about = ""]) => `  ${call.padEnd(width)}  ${about}\n`).join("");
}

function firstSentence(text: string): string {
  return text.split(/(?<=[.:]) /)[0]?.replace(/[.:]$/, "") ?? text;
}
