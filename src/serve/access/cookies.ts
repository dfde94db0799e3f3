import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { sha256Hex } from "../../platform/files.ts";
import type { LinkLevel } from "./links.ts";

/** What a browser gets from a link. */
export interface Entrance {
  /** Values of Set-Cookie. */
  readonly cookies: readonly string[];
  /** Kept by the page in the storage of its origin, and sent with every request that it makes. */
  readonly key: string;
}

export interface Cookies {
  give(level: LinkLevel): Entrance;
  /** The highest level that the cookies of a request prove together with the key; null if they prove none. */
  levelOf(header: string | null, key: string | null): LinkLevel | null;
  /** Whether a browser with these cookies has opened a link: enough for the files of the page, which are everybody's. */
  hasEntered(header: string | null): boolean;
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
 * A reader's cookie and key are signed, so they outlast the server. A person's are known only in memory: whoever starts a
 * server anew is asked anew whether a person is there.
 *
 * Browsers send cookies to every port of a machine. Other servers there get ours, hence the keys, which a browser keeps for
 * one origin; and several of our own must not overwrite each other's, hence the port in the names.
 */
export function createCookies({ port, isSecure, key, now }: CookieOptions): Cookies {
  const names = { read: `holdfast-read-${port}`, person: `holdfast-person-${port}` };
  const persons = new Map<string, { readonly until: number; readonly keyHash: string }>();
  const sign = (what: "read" | "page", until: string) =>
    createHmac("sha256", key).update(`${what} ${port} ${until}`).digest("hex");
  const cookie = (name: string, value: string, seconds: number) =>
    `${name}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  /** Until when the cookie of a reader is good; null if it is not. */
  const readerOf = (sent: ReadonlyMap<string, string>) => {
    const [until = "", signature = ""] = (sent.get(names.read) ?? "").split(".");
    return Number(until) > now() && isSame(signature, sign("read", until)) ? until : null;
  };
  return {
    give(level) {
      const until = String(now() + readerSeconds * 1_000);
      const reader = cookie(names.read, `${until}.${sign("read", until)}`, readerSeconds);
      const readerKey = sign("page", until);
      if (level === "read") return { cookies: [reader], key: readerKey };
      const [secret, personKey] = [randomSecret(), randomSecret()];
      for (const known of persons.keys()) if (persons.size >= mostPersons) persons.delete(known);
      persons.set(sha256Hex(secret), { until: now() + personSeconds * 1_000, keyHash: sha256Hex(personKey) });
      return { cookies: [reader, cookie(names.person, secret, personSeconds)], key: `${readerKey}.${personKey}` };
    },
    levelOf(header, sentKey) {
      const sent = parse(header ?? "");
      const [readerKey = "", personKey = ""] = (sentKey ?? "").split(".");
      const person = persons.get(sha256Hex(sent.get(names.person) ?? ""));
      const isPerson = person !== undefined && person.until > now() && person.keyHash === sha256Hex(personKey);
      if (isPerson) return "person";
      const until = readerOf(sent);
      return until !== null && isSame(readerKey, sign("page", until)) ? "read" : null;
    },
    hasEntered: (header) => readerOf(parse(header ?? "")) !== null,
  };
}

function randomSecret(): string {
  return randomBytes(32).toString("base64url");
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
