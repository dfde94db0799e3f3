/** A command as a person reads it. */
export function commandText(command: string | readonly string[]): string {
  return typeof command === "string"
    ? command
    : command.map((part) => (/^[\w./:=@%+,-]+$/.test(part) ? part : JSON.stringify(part))).join(" ");
}
