import { filledIn } from "./settings.ts";

/** How a host starts a hook: with arguments directly, otherwise as a shell command line. */
export interface HookCall {
  readonly event: string;
  readonly command: string;
  readonly args: readonly string[] | null;
}

export function callOf(event: string, entry: Readonly<Record<string, unknown>>, project: string): HookCall {
  const { command, commandWindows, args } = entry;
  const line = process.platform === "win32" && typeof commandWindows === "string" ? commandWindows : command;
  const fill = (word: unknown) => String(word).replaceAll(filledIn("CLAUDE_PROJECT_DIR"), project);
  return { event, command: fill(line), args: Array.isArray(args) ? args.map(fill) : null };
}
