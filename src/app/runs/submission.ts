import { runProjectRoot } from "../../journal/outputs.ts";
import type { Standing } from "../../journal/run-journal.ts";
import type { EventOf } from "../../model/event.ts";
import { fillProjectRoot } from "../../model/placeholder.ts";
import { withClaim } from "../../model/run-state.ts";
import type { Deps } from "../../operation/operation.ts";

/** What an agent sent when it asked for an approval. */
export interface Submission {
  /** Null if a version that did not record it asked. */
  readonly submitted: string | null;
  readonly outcome?: string;
}

/** That of the latest request for the approval of this visit. */
export async function submissionFor(deps: Deps, { run }: Standing, token: string): Promise<Submission> {
  let request: EventOf<"approval-requested"> | null = null;
  for await (const { events } of deps.store.read(run.runId)) {
    for (const event of events) {
      const isOfVisit = event.type === "approval-requested" && withClaim(event.token, null) === withClaim(token, null);
      if (isOfVisit) request = event;
    }
  }
  const { output, outcome } = request ?? {};
  return {
    submitted: output === undefined ? null : fillProjectRoot(output, runProjectRoot(deps.roots, run)),
    ...(outcome !== undefined && { outcome }),
  };
}
