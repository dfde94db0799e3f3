import type { AdvanceCommand } from "../model/command.ts";

/** Tells a repeated advance from a different one without keeping its output. Not a secure hash, and needs not be. */
export function fingerprint(command: AdvanceCommand): string {
  const payload = JSON.stringify([command.output, command.outcome ?? null, command.failed === true]);
  let a = 0x811c9dc5;
  let b = 0x01000193;
  for (let index = 0; index < payload.length; index++) {
    const code = payload.charCodeAt(index);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13);
  }
  return `${hex(a)}${hex(b)}-${payload.length}`;
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0");
}
