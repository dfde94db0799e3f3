import { existsSync } from "node:fs";
import { join } from "node:path";
import { renderArtifacts } from "../../../artifacts/budget.ts";
import type { LoadedArtifact } from "../../../artifacts/loaded.ts";
import { runsProgram } from "../../../artifacts/run-command.ts";
import type { LoadedRecord } from "../../../model/priming.ts";
import { findUser } from "../../../project/find-user.ts";
import type { Source } from "../../../project/settings.ts";
import { type Allowance, nothingAllowed } from "../../priming/artifact-world.ts";
import { artifactsOf, loadTriggered, recordsOf } from "../../priming/load-artifacts.ts";
import { attempt, type ContinuityPorts, type LiveStanding } from "../ports/ports.ts";

/** Artifacts as a handoff carries them, and what the journal is told of them. */
export interface HandedArtifacts {
  readonly text: string;
  readonly records: readonly LoadedRecord[];
}

/** What a lost context is given back of its artifacts. A hook runs no commands: those are pointed to. */
export async function artifactsFor(
  ports: ContinuityPorts,
  { run }: LiveStanding,
  { source, session, room }: { readonly source: Source; readonly session: string; readonly room: number },
): Promise<HandedArtifacts> {
  const type = source === "compact" ? "compaction" : "session_start";
  const template = await ports.templateOf(run);
  const shared = ports.settings.artifacts;
  const loaded = await loadTriggered({
    roots: ports.roots,
    template,
    run,
    shared,
    moments: [{ type }],
    session,
    // Whatever it had before it is gone, or may be.
    force: true,
    allowance: await readingAllowed(ports),
  });
  const programs = new Set(artifactsOf(template, shared).flatMap((each) => (runsProgram(each) ? [each.id] : [])));
  const { text, artifacts } = renderArtifacts(
    loaded.loaded.map((each) => (programs.has(each.id) ? asLater(each) : each)),
    room,
  );
  return { text, records: recordsOf(artifacts, loaded) };
}

/** Few people have settings of their own, and reading them takes a hook longer than all the rest. */
async function readingAllowed(ports: ContinuityPorts): Promise<Allowance> {
  const user = findUser();
  if (!existsSync(join(user.configFolder, "config.yaml"))) return nothingAllowed;
  return (
    (await attempt(ports, async () => (await import("../../priming/allowance.ts")).readingOf(user))) ?? nothingAllowed
  );
}

function asLater(artifact: LoadedArtifact): LoadedArtifact {
  if (artifact.status !== "refused") return artifact;
  const { id, description, type, required } = artifact;
  return { id, description, type, required, status: "asked", command: `holdfast prime --artifacts ${id}` };
}
