import { randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { HoldfastError, isHoldfastError } from "../../errors.ts";
import { parseJson } from "../../model/json.ts";
import { hasCode, namesInFolder, readTextIfExists, sha256Hex, unwritable } from "../../platform/files.ts";
import { systemError } from "../../platform/links.ts";
import { sizeLimits } from "../../platform/size-limits.ts";
import type { User } from "../../project/find-user.ts";

/** What a program may do over HTTP. A person's level has no token: it lives in the memory of a server. */
export const tokenLevels = ["read", "agent"] as const;
export type TokenLevel = (typeof tokenLevels)[number];

/** How every token begins, so that it is recognised where it should not be. */
export const tokenPrefix = "hft_";

export interface TokenRow {
  readonly name: string;
  readonly level: TokenLevel;
  readonly createdAt: string;
}

/** One file for each token, named after a hash of its name: of two that are created under one name, one is refused. */
const TokenFile = z.strictObject({
  format: z.literal(1),
  name: z.string(),
  level: z.enum(tokenLevels),
  /** The SHA-256 of the token, which itself is kept nowhere. */
  hash: z.string(),
  createdAt: z.string(),
});
type TokenFile = z.infer<typeof TokenFile>;

/** The new token; null if there is one of this name. */
export function createToken(user: User, row: TokenRow): string | null {
  const key = keyOf(row.name);
  const token = `${tokenPrefix}${key}_${randomBytes(32).toString("base64url")}`;
  const content: TokenFile = { format: 1, ...row, hash: sha256Hex(token) };
  const folder = folderOf(user);
  const file = join(folder, key);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw unwritable(folder, hasCode(cause, "EEXIST") ? systemError("ENOTDIR", "mkdir") : cause);
  }
  try {
    writeFileSync(file, `${JSON.stringify(content)}\n`, { flag: "wx", mode: 0o600 });
    return token;
  } catch (cause) {
    if (hasCode(cause, "EEXIST")) return null;
    throw unwritable(file, cause);
  }
}

/** By name. Throws if a file is damaged, or of a newer version. */
export function listTokens(user: User): readonly TokenRow[] {
  return namesInFolder(folderOf(user), "ENOTDIR")
    .filter((name) => keyPattern.test(name))
    .map((key) => readToken(user, key))
    .filter((file) => file !== null)
    .map(({ name, level, createdAt }) => ({ name, level, createdAt }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** False if there is none of this name. One whose file is damaged can be revoked, too. */
export function revokeToken(user: User, name: string): boolean {
  const file = join(folderOf(user), keyOf(name));
  try {
    rmSync(file);
    return true;
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR")) return false;
    throw unwritable(file, cause);
  }
}

/** Whose token this is; null if it is none, or was revoked. A file that cannot be read counts for nothing. */
export function findToken(user: User, token: string): TokenRow | null {
  const [, key] = new RegExp(`^${tokenPrefix}([0-9a-f]{16})_[\\w-]{43}$`).exec(token) ?? [];
  const found = key === undefined ? null : readIfSound(user, key);
  if (found === null) return null;
  const [given, known] = [Buffer.from(sha256Hex(token)), Buffer.from(found.hash)];
  return given.length === known.length && timingSafeEqual(given, known) ? found : null;
}

function readIfSound(user: User, key: string): TokenFile | null {
  try {
    return readToken(user, key);
  } catch (error) {
    if (isHoldfastError(error)) return null;
    throw error;
  }
}

function readToken(user: User, key: string): TokenFile | null {
  const file = join(folderOf(user), key);
  const text = readTextIfExists(file, sizeLimits.name, "ENOTDIR");
  if (text === null) return null;
  const value = parseJson(text);
  const parsed = TokenFile.safeParse(value);
  if (parsed.success && keyOf(parsed.data.name) === key) return parsed.data;
  const newer = z.object({ format: z.int().min(2) }).safeParse(value);
  if (newer.success) throw new HoldfastError("format-newer", { file, format: newer.data.format });
  throw new HoldfastError("state-broken", { file, problem: "it is not a token; remove the file to revoke it" });
}

const keyPattern = /^[0-9a-f]{16}$/;

function keyOf(name: string): string {
  return sha256Hex(name).slice(0, 16);
}

function folderOf({ configFolder }: User): string {
  return join(configFolder, "tokens");
}
