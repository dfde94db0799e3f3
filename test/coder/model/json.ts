import { createHash } from "node:crypto";

export type Fields = Readonly<Record<string, unknown>>;

export function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The words of those checks that found something. */
export function found(checks: readonly (readonly [isWrong: boolean, problem: string])[]): string[] {
  return checks.flatMap(([isWrong, problem]) => (isWrong ? [problem] : []));
}

/** Stands for what only the provider can make, such as a signature: the same for the same text, and other for any other. */
export function seal(text: string): string {
  return createHash("sha256").update(`scripted ${text}`).digest("base64url");
}

/** The text in several pieces, none of which splits a character. */
export function inPieces(text: string): string[] {
  const characters = [...text];
  const size = Math.max(1, Math.ceil(characters.length / 5));
  const count = Math.ceil(characters.length / size);
  return Array.from({ length: count }, (_, index) => characters.slice(index * size, (index + 1) * size).join(""));
}
