import { completionNames } from "../../app/completion-names.ts";
import { didYouMean } from "../../model/nearest.ts";
import { quote } from "../../model/quote.ts";
import { type CommandWords, flagOption, type ParsedArguments } from "../command/command.ts";
import { exitCodes } from "../terminal/exit-codes.ts";
import type { Io } from "../terminal/io.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { bashScript } from "./bash.ts";
import { type CompletedCommand, completedCommands } from "./completed-command.ts";
import { fishScript } from "./fish.ts";
import { zshScript } from "./zsh.ts";

const scripts: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Prints a shell's completion script, or the names that a script asks for while someone types. */
export async function runCompletion(
  parsed: ParsedArguments,
  io: Io,
  commands: readonly CommandWords[],
): Promise<number> {
  const [asked = ""] = parsed.positionals;
  if (asked === "runs" || asked === "workflows") {
    io.out(await namesOrNothing(asked, io));
    return exitCodes.done;
  }
  const script = Object.hasOwn(scripts, asked) ? scripts[asked] : undefined;
  const shells = Object.keys(scripts);
  if (script === undefined) {
    throw new UsageError(`${quote(asked)} is not one of ${shells.join(", ")}${didYouMean(asked, shells)}`);
  }
  const text = script(completedCommands(commands));
  io.out(flagOption(parsed, "json") ? `${JSON.stringify({ script: text })}\n` : text);
  return exitCodes.done;
}

/** Prints nothing on any error: an error message would disturb the line that is being typed. */
async function namesOrNothing(kind: "runs" | "workflows", io: Io): Promise<string> {
  try {
    return (await completionNames(kind, io.cwd)).map((name) => `${name}\n`).join("");
  } catch {
    return "";
  }
}
