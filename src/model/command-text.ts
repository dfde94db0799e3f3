/** A command as a person reads it. */
export function commandText(command: string | readonly string[]): string {
  return typeof command === "string"
    ? command
    : command.map((part) => (/^[\w./:=@%+,-]+$/.test(part) ? part : JSON.stringify(part))).join(" ");
}

/** Whether it is a slash command of the host, which only the agent can run. */
export function isHostCommand(command: string | readonly string[]): boolean {
  const begins = typeof command === "string" ? command.trimStart() : (command[0] ?? "");
  return begins.startsWith("/");
}
