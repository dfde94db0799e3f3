import * as z from "zod";
import { defineOperation } from "../operation/operation.ts";
import { lightQueries } from "./light-queries.ts";
import { readLog, showEvent } from "./queries/read-log.ts";
import { readSessions } from "./queries/read-sessions.ts";
import { momentInput } from "./runs/moment-input.ts";

/**
 * The queries that are called most. The command line has a file of its own for them, which starts faster because it holds
 * no YAML, no git, no schema of a template and nothing that moves a run: what they import statically must stay free of those.
 */
export const frequentQueries = {
  status: defineOperation({
    summary: "The status of a run, now or at a moment of its past. Read-only.",
    input: z.strictObject({
      run: z.string().optional().describe("The run; by default the only live one here."),
      at: momentInput,
    }),
    run: lightQueries.status,
  }),
  overview: defineOperation({
    summary: "A run at a glance.",
    input: z.strictObject({ run: z.string().optional(), at: momentInput }),
    run: lightQueries.overview,
  }),
  project: defineOperation({
    summary: "What is live in this project, and what waits for a person.",
    input: z.strictObject({}),
    run: lightQueries.project,
  }),
  runs: defineOperation({
    summary: "List the runs of this project, newest first.",
    input: z.strictObject({
      live: z.boolean().optional().describe("Only runs that are still live."),
      limit: z.int().min(1).max(100_000).optional().describe("The most runs; in a shared project 50 if left out."),
    }),
    run: lightQueries.runs,
  }),
  sessions: readSessions,
  log: readLog,
  show: showEvent,
} as const;
