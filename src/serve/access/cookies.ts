import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { sha256Hex } from "../../platform/files.ts";
import type { LinkLevel } from "./links.ts";

export interface Cookies {
  /** The headers that give a browser this level. */
  give(level: LinkLevel): readonly string[];
  /** The highest level that the cookies of a request prove; null if they prove none. */
  levelOf(header: string | null): LinkLevel | null;
}

export interface CookieOptions {
  readonly port: number;
  readonly isSecure: boolean;
  readonly key: Buffer;
  /** In milliseconds. */
  now(): number;
}

const readerSeconds = 30 * 24 * 60 * 60;
const personSeconds = 12 * 60 * 60;
const mostPersons = 100;

/**
 * A reader's cookie is signed, so it outlasts the server. A person's is known only in memory: whoever starts a server anew is
 * asked anew whether a person is there. Browsers share cookies between the ports of a machine, hence the port in the names.
 */
export function createCookies({ port, isSecure, key, now }: CookieOptions): Cookies {
  const names = { read: `holdfast-read-${port}`, person: `holdfast-person-${port}` };
  const persons = new Map<string, number>();
  const sign = (until: string) => createHmac("sha256", key).update(`read ${port} ${until}`).digest("hex");
  const cookie = (name: string, value: string, seconds: number) =>
    `${name}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  const isReader = (value: string) => {
    const [until = "", signature = ""] = value.split(".");
    return Number(until) > now() && isSame(signature, sign(until));
  };
  return {
    give(level) {
      const until = String(now() + readerSeconds * 1_000);
      const reader = cookie(names.read, `${until}.${sign(until)}`, readerSeconds);
      if (level === "read") return [reader];
      const secret = randomBytes(32).toString("base64url");
      for (const known of persons.keys()) if (persons.size >= mostPersons) persons.delete(known);
      persons.set(sha256Hex(secret), now() + personSeconds * 1_000);
      return [reader, cookie(names.person, secret, personSeconds)];
    },
    levelOf(header) {
      const sent = parse(header ?? "");
      const until = persons.get(sha256Hex(sent.get(names.person) ?? ""));
      if (until !== undefined && until > now()) return "person";
      return isReader(sent.get(names.read) ?? "") ? "read" : null;
    },
  };
}

function parse(header: string): ReadonlyMap<string, string> {
  return new Map(
    header.split(";").flatMap((pair) => {
      const [, name, value] = /^\s*([^=\s]+)=(\S*)\s*$/.exec(pair) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
