import { z } from "zod";

/** Names that would reach into an object's prototype wherever they are used as a key. */
const reserved = ["__proto__", "constructor", "prototype"];

export function isReservedName(name: string): boolean {
  return reserved.includes(name);
}

/** What a person calls a step, loop, agent or phase: any script, one line, nothing invisible. */
export const Name = z
  .string()
  .min(1, "must not be empty")
  .max(100, "must have at most 100 characters")
  .refine((name) => name === name.trim(), "must not begin or end with a space")
  .refine((name) => !/\p{Cc}/u.test(name), "must not contain control characters")
  .refine((name) => !isReservedName(name), { error: ({ input }) => `"${String(input)}" is a reserved name` });

/** A variable or named artifact: it becomes part of an environment variable and of a dotted path. */
export const Identifier = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "must be a plain name: letters, digits and _, at most 64 characters")
  .refine((name) => !isReservedName(name), { error: ({ input }) => `"${String(input)}" is a reserved name` });

export const RunId = z
  .string()
  .regex(/^[a-z0-9-]{1,60}-\d{8}_\d{6}-[a-z0-9]{4}$/, "must look like feature-20260131_120000-ab12");

export const SessionId = z.string().min(1).max(200);

/** One visit, and one attempt at it, by the name the agent sends back: `build/t2/implement#1`. */
export const Token = z.string().min(1).max(700);

/** A template's identity: a hash of its whole content. */
export const TemplateHash = z.string().regex(/^[a-z0-9]+:[0-9a-f]{16,}$/);

export const VariableValue = z.union([z.string().max(10_000), z.number(), z.boolean()], {
  error: "must be text (at most 10,000 characters), a number, true or false",
});
export type VariableValue = z.infer<typeof VariableValue>;
