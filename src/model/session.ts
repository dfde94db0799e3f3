import * as z from "zod";
import { SessionId } from "./ids.ts";

/** The version of an agent program, as it tells it. */
const hostVersion = /^[\w.+-]{1,100}$/;
export const HostVersion = z.string().regex(hostVersion);

/** The version that an agent program has told; undefined if it is none. */
export function readHostVersion(told: unknown): string | undefined {
  return typeof told === "string" && hostVersion.test(told) ? told : undefined;
}

/** Where a conversation takes place. Contains no absolute path. */
export const Environment = z.strictObject({
  /** Null if the project's settings exclude it. */
  hostname: z.string().nullable(),
  platform: z.string(),
  /** Relative to the project root. */
  cwd: z.string(),
  commit: z.string().nullable(),
  branch: z.string().nullable(),
});
export type Environment = z.infer<typeof Environment>;

/** Where a transcript has been read up to: how many bytes, when, and the last message that was counted. */
export const TranscriptMark = z.strictObject({
  bytes: z.int().nonnegative(),
  at: z.iso.datetime().optional(),
  message: z.string().max(200).optional(),
  /** What the host said that the session had cost in all by then, in US dollars. */
  cost: z.number().nonnegative().optional(),
});
export type TranscriptMark = z.infer<typeof TranscriptMark>;

/** Who works on a visit of a loop with `parallel`. Its number is part of the token, so an answer under a lost claim is refused. */
export const Claim = z.strictObject({
  number: z.int().positive(),
  /** Null for a caller without a session, such as a script. */
  session: SessionId.nullable(),
  since: z.iso.datetime(),
  /** Where it was made, and where its gates run: the git name of a linked worktree, null for the main one. */
  worktree: z.string().nullable(),
  /** The clone that has this worktree, where runs are shared. Claims of older versions do not have it. */
  clone: z.string().optional(),
});
export type Claim = z.infer<typeof Claim>;
