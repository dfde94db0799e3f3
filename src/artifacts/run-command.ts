import type { Artifact } from "../model/artifact.ts";
import { isHostCommand } from "../model/command-text.ts";
import { bare } from "../model/quote.ts";
import { splitWords } from "../platform/split-words.ts";
import type { ArtifactContext } from "./artifact-context.ts";
import { type Absence, type Content, contentOf, refused } from "./loaded.ts";

const timeoutMs = 30_000;
const largestOutput = 64 * 1024;

/** Runs a command and returns its output. Only the agent can run a slash command of its host. */
export async function runCommand(
  { max_bytes }: Pick<Artifact, "max_bytes">,
  command: string | readonly string[],
  context: ArtifactContext,
): Promise<Content | Absence> {
  const text = textOf(command);
  if (isHostCommand(command)) return askFor(command, context);
  const argv = typeof command === "string" ? splitWords(command) : command;
  if (argv === null) return refused(`the command ${bare(text)} has an unclosed quotation mark`);
  return await outputOf(argv, text, max_bytes ?? largestOutput, context);
}

/** Loads a skill or a plugin through the provider that the user configured for its type. */
export async function runProvider(
  artifact: Pick<Artifact, "type" | "name" | "max_bytes">,
  context: ArtifactContext,
): Promise<Content | Absence> {
  const { type, name = "", max_bytes } = artifact;
  const provider = Object.hasOwn(context.providers, type) ? context.providers[type] : undefined;
  if (provider === undefined) return noProvider(artifact);
  // The project chooses the name, so it must not be able to pass an option to the user's program.
  if (name.startsWith("-")) return refused(`${bare(name)} is not a valid ${type} name: it begins with a dash`);
  const argv = [...provider, name];
  return await outputOf(argv, argv.map(bare).join(" "), max_bytes ?? largestOutput, context);
}

/** Why a command or a provider would not be run; null if it would. Runs nothing. */
export function whyNotRun(artifact: Artifact, context: ArtifactContext): Absence | null {
  const { command, type } = artifact;
  if (command === undefined) {
    if (!Object.hasOwn(context.providers, type)) return noProvider(artifact);
    return context.trusted ? null : untrusted(type);
  }
  if (isHostCommand(command)) return askFor(command, context);
  return context.trusted ? null : untrusted(textOf(command));
}

/** A slash command is text for the agent, so values are filled in; a program gets them through no text. */
function askFor(command: string | readonly string[], { values }: Pick<ArtifactContext, "values">): Absence {
  const filled = textOf(command).replace(/\{(\w+)\}/g, (source, name: string) => {
    return (Object.hasOwn(values, name) && values[name]) || source;
  });
  return { status: "asked", command: filled.trim() };
}

/** Whether loading the artifact starts a program other than git. */
export function runsProgram({ type, command, path, path_from_state }: Artifact): boolean {
  if (command !== undefined) return !isHostCommand(command);
  return (type === "skill" || type === "work_plugin") && path === undefined && path_from_state === undefined;
}

function textOf(command: string | readonly string[]): string {
  return typeof command === "string" ? command : command.map(bare).join(" ");
}

function noProvider({ type, name = "" }: Pick<Artifact, "type" | "name">): Absence {
  const next = "add its program to providers in ~/.config/holdfast/config.yaml";
  return refused(`no provider for ${type} ${bare(name)}; ${next}`);
}

function untrusted(text: string): Absence {
  return refused(`${bare(text)} runs only after a person has trusted this workflow: holdfast trust`);
}

async function outputOf(
  argv: readonly string[],
  text: string,
  maxBytes: number,
  context: ArtifactContext,
): Promise<Content | Absence> {
  const command = bare(text);
  if (!context.trusted) return untrusted(text);
  const ended = await context.run(argv, { cwd: context.projectRoot, timeoutMs, maxBytes });
  switch (ended.type) {
    case "exited": {
      if (ended.exitCode !== 0) return refused(`${command} exited with ${ended.exitCode}${lastLine(ended.tail)}`);
      return printed(ended.tail);
    }
    case "timed-out":
      return refused(`${command} took longer than ${timeoutMs / 1_000} seconds`);
    case "cancelled":
      return refused(`${command} was cancelled`);
    case "not-started":
      return refused(`${command} could not be started: ${ended.problem}`);
  }
}

function lastLine(output: string): string {
  const line = output.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return line === "" ? "" : `: ${bare(line)}`;
}

/** Output that was cut begins with a mark that says how many bytes are missing. */
function printed(output: string): Content {
  const leftOut = /^\[(\d+) bytes left out\]\n/.exec(output)?.[1];
  return { ...contentOf(output), leftOutBytes: leftOut === undefined ? 0 : Number(leftOut) };
}
