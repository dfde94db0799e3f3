import { existsSync } from "node:fs";
import { join } from "node:path";
import { renderArtifacts } from "../../../artifacts/budget.ts";
import { longestExcerpt } from "../../../artifacts/excerpt.ts";
import type { LoadedArtifact } from "../../../artifacts/loaded.ts";
import type { PlannedArtifact } from "../../../artifacts/plan-loading.ts";
import { runsProgram } from "../../../artifacts/run-command.ts";
import type { LiveStanding } from "../../../journal/run-journal.ts";
import type { LoadedRecord } from "../../../model/recorded.ts";
import { findUser } from "../../../project/find-user.ts";
import { type Allowance, nothingAllowed } from "../../priming/artifact-context.ts";
import { loadPlanned, recordsOf } from "../../priming/load-artifacts.ts";
import { attempt, type ContinuityPorts } from "../ports/ports.ts";

/** The artifacts that belong into a handoff. */
export interface HandoffArtifacts {
  /** About how many characters they need, where a large one counts as an excerpt. */
  readonly need: number;
  /** The section of the handoff in at most `room` characters, and what the journal records about it. */
  render(room: number): { readonly text: string; readonly records: readonly LoadedRecord[] };
}

/** Loads what is due after a context loss. A hook runs no commands; the agent is asked to run those. */
export async function artifactsFor(
  ports: ContinuityPorts,
  { run }: LiveStanding,
  plan: readonly PlannedArtifact[],
): Promise<HandoffArtifacts> {
  const loaded = await loadPlanned(plan, {
    roots: ports.roots,
    template: await ports.templateOf(run),
    run,
    shared: ports.settings.artifacts,
    allowance: await readingAllowed(ports),
  });
  const programs = new Set(plan.flatMap(({ artifact }) => (runsProgram(artifact) ? [artifact.id] : [])));
  const shown = loaded.loaded.map((each) => (programs.has(each.id) ? asPrimeRequest(each) : each));
  return {
    need: shown.reduce((sum, artifact) => sum + needOf(artifact), 0),
    render(room) {
      const { text, artifacts } = renderArtifacts(shown, room);
      return { text, records: recordsOf(artifacts, loaded) };
    },
  };
}

/** What is said about an artifact beside its text. */
const aboutLength = 250;

function needOf(artifact: LoadedArtifact): number {
  if (artifact.status === "skipped") return 0;
  return aboutLength + (artifact.status === "loaded" ? Math.min(artifact.text.length, longestExcerpt) : 0);
}

/** Few people have a user config file, and parsing it takes a hook longer than everything else. */
async function readingAllowed(ports: ContinuityPorts): Promise<Allowance> {
  const user = findUser(process.env);
  if (!existsSync(join(user.configFolder, "config.yaml"))) return nothingAllowed;
  return (
    (await attempt(ports, async () => (await import("../../priming/allowance.ts")).readOnlyAllowance(user))) ??
    nothingAllowed
  );
}

function asPrimeRequest(artifact: LoadedArtifact): LoadedArtifact {
  if (artifact.status !== "refused") return artifact;
  const { id, description, type, required } = artifact;
  return { id, description, type, required, status: "asked", command: `holdfast prime --artifacts ${id}` };
}
