import { realpathSync } from "node:fs";
import { requestWords } from "../../engine/commands/start.ts";
import { requestOf } from "../../journal/outputs.ts";
import type { LiveStanding } from "../../journal/run-journal.ts";
import { cleanSummary, codePoints } from "../../model/truncate.ts";
import { type Deps, type No, no } from "../../operation/operation.ts";
import { hasCode } from "../../platform/files.ts";
import { drivenVariable } from "../driving/turn.ts";

/** What a start says about the request. */
export interface StartWords {
  readonly request?: string | undefined;
  readonly summary?: string | undefined;
}

/** In characters: more than a person writes, and a file can hold the rest. */
const longestRequest = 100_000;

/** A driven agent works on one run. */
export function refuseDriven({ caller: { env, isDriven } }: Deps): No | null {
  return isDriven === true ? no({ code: "driven-here", run: env[drivenVariable] ?? "" }) : null;
}

/** Runs in the home folder would count as those of every project below it. */
export function refuseFolder({ roots, user }: Deps): No | null {
  const home = realPath(user.home);
  for (const folder of [roots.projectRoot, roots.stateRoot]) {
    if (folder === realPath("/")) return no({ code: "project-unfit", folder, what: "root" });
    if (folder === home) return no({ code: "project-unfit", folder, what: "home" });
  }
  return null;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (hasCode(error, "ENOENT", "EACCES", "ENOTDIR")) return path;
    throw error;
  }
}

export function refuseLongRequest({ request, summary }: StartWords): No | null {
  const length = Math.max(codePoints(request ?? ""), codePoints(summary ?? ""));
  return length > longestRequest ? no({ code: "request-too-long", length, most: longestRequest }) : null;
}

/** Whoever asks for something else must not get the live run as if it were theirs. */
export async function refuseOtherRequest(
  { journal }: Pick<Deps, "journal">,
  { run }: LiveStanding,
  given: StartWords,
): Promise<No | null> {
  const differs = no({ code: "request-differs", workflow: run.workflow, run: run.runId, summary: run.summary });
  const title = cleanSummary(given.summary ?? "");
  if (title !== null && title !== run.summary) return differs;
  if (!given.request?.trim()) return null;
  const kept = await requestOf({ journal }, run.runId);
  const { summary, request = summary } = requestWords(given);
  // Without more than a summary, the run was started for a request of one short line, or by an older version.
  const isSame = kept === undefined ? (cleanSummary(given.request) ?? null) === run.summary : kept === request;
  return isSame ? null : differs;
}
