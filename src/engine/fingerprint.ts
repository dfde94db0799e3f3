import type { AdvanceCommand } from "../model/command.ts";

/** Detects a repeated advance without storing its output. */
export function fingerprint(command: AdvanceCommand): string {
  return fingerprintOf(JSON.stringify([command.output, command.outcome ?? null, command.failed === true]));
}

/** A fast hash that need not be cryptographically secure. Stored in journals, so it must never change. */
export function fingerprintOf(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x01000193;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13);
  }
  return `${hex(a)}${hex(b)}-${text.length}`;
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0");
}
