import { sha256Hex } from "../platform/files.ts";

/** Longer session ids are replaced by their hash. */
const longest = 200;

/** Hosts choose their own ids, of any length. */
export function normalizeSessionId(session: string | undefined): string | undefined {
  if (session === undefined || session === "") return undefined;
  return session.length <= longest ? session : sha256Hex(session);
}
