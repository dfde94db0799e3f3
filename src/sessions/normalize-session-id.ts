import { sha256Hex } from "../platform/hash.ts";

/** The longest id of a session that is kept as it is. */
const longest = 200;

/** Hosts choose their own ids; one that is too long to keep is kept by its hash. */
export function normalizeSessionId(session: string | undefined): string | undefined {
  if (session === undefined || session === "") return undefined;
  return session.length <= longest ? session : sha256Hex(session);
}
