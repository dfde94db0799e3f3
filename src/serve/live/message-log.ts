import { randomBytes } from "node:crypto";
import type { LiveMessage } from "../contract/contract.ts";

/** The latest messages, numbered. A reader that stays behind finds that the oldest are gone; nothing is kept for it. */
export interface MessageLog {
  /** The number of the last message. */
  readonly last: number;
  add(message: LiveMessage): void;
  /** The messages after a number; null if some of them are gone. */
  after(number: number): readonly LiveMessage[] | null;
  /** What a reader names to go on after a message. */
  idOf(number: number): string;
  /** The number behind an id; null if it is not from this log. */
  numberOf(id: string): number | null;
  /** Forgets everything: what happens from now on until the next message is not seen. */
  interrupt(): void;
}

export function createMessageLog(most: number): MessageLog {
  let name = newName();
  let messages: LiveMessage[] = [];
  let last = 0;
  return {
    get last() {
      return last;
    },
    add(message) {
      last += 1;
      messages.push(message);
      // In one go now and then: to move all of them with each message would take longer than to send it.
      if (messages.length > 2 * most) messages = messages.slice(-most);
    },
    after(number) {
      if (number > last || last - number > messages.length) return null;
      return number === last ? [] : messages.slice(number - last);
    },
    idOf: (number) => `${name}-${number}`,
    numberOf(id) {
      const [, of, number] = /^([0-9a-f]+)-(\d{1,15})$/.exec(id) ?? [];
      return of === name && number !== undefined && Number(number) <= last ? Number(number) : null;
    },
    interrupt() {
      name = newName();
      messages = [];
    },
  };
}

/** Tells the numbers of this server from those of the one before. */
function newName(): string {
  return randomBytes(6).toString("hex");
}
