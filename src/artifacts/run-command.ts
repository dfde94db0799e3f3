import type { Artifact } from "../model/artifact.ts";
import { bare } from "../model/quote.ts";
import { type Absence, type Content, contentOf, refused } from "./loaded.ts";
import { splitWords } from "./split-words.ts";
import type { ArtifactWorld } from "./world.ts";

const timeoutMs = 30_000;
const largestOutput = 64 * 1024;

/** What a command prints. One that begins with a slash is the host's own, and only the agent can run it. */
export async function runCommand(
  { max_bytes }: Pick<Artifact, "max_bytes">,
  command: string | readonly string[],
  world: ArtifactWorld,
): Promise<Content | Absence> {
  const text = textOf(command);
  if (isHostCommand(command)) return { status: "asked", command: text.trim() };
  const argv = typeof command === "string" ? splitWords(command) : command;
  if (argv === null) return refused(`the command ${bare(text)} has a quotation mark that is not closed`);
  return await outputOf(argv, text, max_bytes ?? largestOutput, world);
}

/** A skill or a plugin by its name, from the program that knows it. */
export async function runProvider(
  artifact: Pick<Artifact, "type" | "name" | "max_bytes">,
  world: ArtifactWorld,
): Promise<Content | Absence> {
  const { type, name = "", max_bytes } = artifact;
  const provider = Object.hasOwn(world.providers, type) ? world.providers[type] : undefined;
  if (provider === undefined) return noProvider(artifact);
  // The program is the person's, the name the project's: it must not be able to say more than a name.
  if (name.startsWith("-")) return refused(`${bare(name)} is no name of a ${type}: it begins with a dash`);
  const argv = [...provider, name];
  return await outputOf(argv, argv.map(bare).join(" "), max_bytes ?? largestOutput, world);
}

/** Why a command or a provider would not be run, told without running anything; null when it would be. */
export function whyNotRun(artifact: Artifact, world: ArtifactWorld): Absence | null {
  const { command, type } = artifact;
  if (command === undefined) {
    if (!Object.hasOwn(world.providers, type)) return noProvider(artifact);
    return world.trusted ? null : untrusted(type);
  }
  if (isHostCommand(command)) return { status: "asked", command: textOf(command).trim() };
  return world.trusted ? null : untrusted(textOf(command));
}

/** Whether loading it starts a program, other than git. */
export function runsProgram({ type, command, path, path_from_state }: Artifact): boolean {
  if (command !== undefined) return !isHostCommand(command);
  return (type === "skill" || type === "work_plugin") && path === undefined && path_from_state === undefined;
}

/** Whether only the agent can run it: a slash command of its host. */
export function isHostCommand(command: string | readonly string[]): boolean {
  const begins = typeof command === "string" ? command.trimStart() : (command[0] ?? "");
  return begins.startsWith("/");
}

function textOf(command: string | readonly string[]): string {
  return typeof command === "string" ? command : command.map(bare).join(" ");
}

function noProvider({ type, name = "" }: Pick<Artifact, "type" | "name">): Absence {
  const where = "name its program under providers in your own ~/.config/holdfast/config.yaml";
  return refused(`no provider for ${type} ${bare(name)}; ${where}`);
}

function untrusted(text: string): Absence {
  return refused(`${bare(text)} runs only when a person has trusted this workflow: holdfast trust`);
}

async function outputOf(
  argv: readonly string[],
  text: string,
  maxBytes: number,
  world: ArtifactWorld,
): Promise<Content | Absence> {
  const command = bare(text);
  if (!world.trusted) return untrusted(text);
  const ended = await world.run(argv, { cwd: world.projectRoot, timeoutMs, maxBytes });
  switch (ended.type) {
    case "exited": {
      if (ended.exitCode !== 0) return refused(`${command} ended with ${ended.exitCode}${lastLine(ended.tail)}`);
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

/** What was too much is marked at the beginning of the text, which says how much it was. */
function printed(output: string): Content {
  const leftOut = /^\[(\d+) bytes left out\]\n/.exec(output)?.[1];
  return { ...contentOf(output), leftOutBytes: leftOut === undefined ? 0 : Number(leftOut) };
}
