import type { JsonValue } from "./message.ts";

/** Thrown while copying; the caller adds the role to the message. */
export class NotJson extends Error {}

const deepest = 200;

/** A deep copy that is plain JSON, so that everything kept can be saved and sent. */
export function copyJson(value: unknown, above: readonly object[] = []): JsonValue {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return wellFormed(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new NotJson("holds a number that JSON does not have");
    return value;
  }
  if (typeof value !== "object") throw new NotJson(`holds a ${typeof value}`);
  if (above.includes(value)) throw new NotJson("holds itself");
  if (above.length > deepest) throw new NotJson(`is nested more than ${deepest} deep`);
  const path = [...above, value];
  return Array.isArray(value) ? value.map((item) => copyJson(item ?? null, path)) : copyObject(value, path);
}

/** Copies a value that is known to be plain JSON. */
export function copy<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copy) as T;
  return fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)])) as T;
}

function copyObject(value: object, path: readonly object[]): JsonValue {
  if (value instanceof Uint8Array) return base64(value);
  if (value instanceof ArrayBuffer) return base64(new Uint8Array(value));
  if ("toJSON" in value && typeof value.toJSON === "function") return copyJson(value.toJSON(), path);
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined && typeof inner !== "function");
  return fromEntries(fields.map(([key, inner]) => [wellFormed(key), copyJson(inner, path)]));
}

/** Assigning to `__proto__` would change the copy's prototype instead of keeping a key of that name. */
function fromEntries<T>(entries: [string, T][]): Record<string, T> {
  return Object.fromEntries(entries);
}

/** Replaces lone surrogates: providers reject the whole request because of one. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}

function base64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x2000) {
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 0x2000)));
  }
  return btoa(pieces.join(""));
}
