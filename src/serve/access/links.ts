import { randomBytes } from "node:crypto";
import { sha256Hex } from "../../platform/files.ts";
import type { Level } from "../contract/contract.ts";

/** What a link in the terminal gives to the browser that opens it. */
export type LinkLevel = Exclude<Level, "agent">;

export interface Links {
  /** A code that works once, for two minutes. */
  make(level: LinkLevel): string;
  take(code: string): LinkLevel | "used" | "late" | "unknown";
}

const validMs = 2 * 60_000;
/** Old codes are kept for this long, only to say what became of them. */
const keptMs = 60 * 60_000;
const mostKept = 1_000;

/** `now` in milliseconds. `wasUsed` is told when a browser has come in. */
export function createLinks(now: () => number, wasUsed: () => void = () => {}): Links {
  const links = new Map<string, { readonly level: LinkLevel; readonly madeAt: number; isUsed: boolean }>();
  return {
    make(level) {
      for (const [hash, { madeAt }] of links) {
        if (now() - madeAt > keptMs || links.size >= mostKept) links.delete(hash);
      }
      const code = randomBytes(24).toString("base64url");
      links.set(sha256Hex(code), { level, madeAt: now(), isUsed: false });
      return code;
    },
    take(code) {
      const link = links.get(sha256Hex(code));
      if (link === undefined) return "unknown";
      if (link.isUsed) return "used";
      if (now() - link.madeAt > validMs) return "late";
      link.isUsed = true;
      wasUsed();
      return link.level;
    },
  };
}
