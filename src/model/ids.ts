import * as z from "zod";
import { isAbsolutePath, isRelativePath } from "./path-text.ts";
import { quote } from "./quote.ts";
import { runIdPattern } from "./run-id.ts";

/** Names that would reach into an object's prototype if used as a key. */
const reserved = ["__proto__", "constructor", "prototype"];

export function isReservedName(name: string): boolean {
  return reserved.includes(name);
}

/** Invisible characters: control characters, lone surrogates, line separators, bidirectional marks. */
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are to be found; classes such as \p{Cc} take milliseconds to build
  /[\0-\x1F\x7F-\x9F\uD800-\uDFFF\u2028\u2029\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/u;

const notReserved = {
  error: ({ input }: { readonly input?: unknown }) => `${quote(String(input))} is a reserved name; use another`,
};

/** The name of a step, loop, agent or phase: any script, one line, no invisible characters. */
export const Name = z
  .string()
  .min(1, { error: "must not be empty", abort: true })
  .max(100, { error: "must have at most 100 characters", abort: true })
  .refine((name) => name.trim() !== "", { error: "must not be empty", abort: true })
  .refine((name) => name === name.trim(), { error: "must not begin or end with a space or a line break", abort: true })
  .refine((name) => !invisible.test(name), { error: "must not contain invisible characters", abort: true })
  .refine((name) => !isReservedName(name), notReserved);

/** The name of a variable or artifact: it becomes part of an environment variable and of a dotted path. */
export const Identifier = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
    "must be a plain name (letters, digits and _, no digit first, at most 64 characters)",
  )
  .refine((name) => !isReservedName(name), notReserved);

export const RunId = z.string().regex(runIdPattern, "must look like feature-20260131_120000-ab12");

export const SessionId = z.string().min(1).max(200);

/** Identifies one attempt at one visit: `build/t2/implement#1`. Escaping can triple the length of the ids in it. */
export const Token = z.string().min(1).max(1_000);

/** The hash of a template's whole content. */
export const TemplateHash = z.string().regex(/^[a-z0-9]+:[0-9a-f]{16,}$/);

export const VariableValue = z.union(
  [z.string().max(10_000, "must have at most 10,000 characters"), z.number(), z.boolean()],
  { error: "must be text, a number, true or false" },
);
export type VariableValue = z.infer<typeof VariableValue>;

/** The path of a named artifact that an advance may set: relative, inside the project. */
export const RelativePath = z
  .string()
  .min(1, "must not be empty")
  .max(1_000, "must have at most 1,000 characters")
  .refine(isRelativePath, "must be a relative path inside the project");

export const NamedArtifacts = z.record(Identifier, RelativePath);

/** Named artifacts as a caller sends them: an absolute path is made relative before it is recorded. */
export const SentArtifacts = z.record(
  Identifier,
  z
    .string()
    .min(1, "must not be empty")
    .max(4_000, "must have at most 4,000 characters")
    .refine((path) => isAbsolutePath(path) || isRelativePath(path), "must be a path inside the project"),
);
