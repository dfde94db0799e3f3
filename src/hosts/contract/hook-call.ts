/** How a host starts a hook: with arguments directly, otherwise as a shell command line. */
export interface HookCall {
  readonly event: string;
  readonly command: string;
  readonly args: readonly string[] | null;
}

/** The call that an entry in the settings of a host makes; placeholders are replaced by their values. */
export function callOf(
  event: string,
  entry: Readonly<Record<string, unknown>>,
  placeholders: Readonly<Record<string, string>>,
): HookCall {
  const { command, commandWindows, args } = entry;
  const line = process.platform === "win32" && typeof commandWindows === "string" ? commandWindows : command;
  const fill = (word: unknown) =>
    Object.entries(placeholders).reduce((text, [name, value]) => text.replaceAll(filledIn(name), value), String(word));
  return { event, command: fill(line), args: Array.isArray(args) ? args.map(fill) : null };
}

/** A placeholder that a host replaces when it runs the hook. */
export function filledIn(name: string): string {
  return `\${${name}}`;
}
