import { join } from "node:path";
import { stepSettings } from "../engine/step-settings.ts";
import { agentWords } from "../engine/view/agent-words.ts";
import type { World } from "../engine/view/instructions.ts";
import { loopIn, loopOutput, type TaskOutputs } from "../engine/view/loop-outputs.ts";
import { HoldfastError } from "../errors.ts";
import type { EventOf, RunEvent } from "../model/event.ts";
import { ownEntry } from "../model/json.ts";
import { fillProjectRoot, namedIn } from "../model/placeholder.ts";
import type { StartedRun, Visit } from "../model/run.ts";
import type { Claim } from "../model/session.ts";
import type { Template } from "../model/template.ts";
import { codePoints, truncateMiddle } from "../model/truncate.ts";
import { readTextIfExists, replaceFile } from "../platform/files.ts";
import { stateFolder } from "../platform/links.ts";
import { pathInside } from "../platform/path-inside.ts";
import { type Roots, worktreeTop } from "../platform/roots.ts";
import { cloneAt } from "../platform/runner.ts";
import { sizeLimits } from "../platform/size-limits.ts";
import { readCopyMark } from "../store/copy-mark.ts";
import { taskKey } from "./projection.ts";
import type { RunJournal, Standing } from "./run-journal.ts";

interface Where {
  readonly roots: Roots;
  readonly journal: RunJournal;
}

/** The values that a visit's instructions insert. Reads only what they name from the journal. */
export async function instructionWorld(
  where: Where,
  standing: Standing,
  template: Template,
  visit: Visit | null,
  reader: keyof typeof agentWords,
): Promise<World> {
  const text = (visit === null ? null : stepSettings(template, visit.place))?.instructions ?? "";
  const named = text.includes("{") ? namedIn(text) : [];
  const steps = named.flatMap(({ root, name }) => (root === "outputs" ? [name] : []));
  const outputs = await outputsOf(where, standing, template, new Set(steps));
  const asks = named.some(({ root, name }) => root === "run" && name === "request");
  return {
    words: agentWords[reader],
    outputOf: (step) => outputs.get(step),
    request: asks ? await shownRequest(where, standing.run) : undefined,
    // Looked up only if the instructions use it, which few do.
    get projectRoot() {
      return runProjectRoot(where.roots, visit?.claim ?? standing.run);
    },
  };
}

/** The outputs of steps, of whole loops (`build`) and of their tasks (`build.t1`), by these names. */
async function outputsOf(
  where: Where,
  standing: Standing,
  template: Template,
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const outputs = new Map<string, string>();
  for (const name of names) {
    const loop = loopIn(template, name);
    const ofTasks =
      loop === null ? null : loopOutput(await taskOutputs(where, standing, loop), name.slice(loop.length + 1));
    // A loop that was skipped has an output of its own.
    const output = ofTasks ?? (await latestOutput(where, standing, name));
    if (output !== null) outputs.set(name, output);
  }
  return outputs;
}

/**
 * The last output of each task of a loop, in the order of the tasks. They are not in the state, which would grow with
 * them, so the whole journal is read; only for instructions that ask for them.
 */
async function taskOutputs({ journal }: Where, { run }: Standing, loop: string): Promise<TaskOutputs> {
  const found = new Map<string, string>();
  for await (const { events } of journal.read(run.runId, { version: 1, place: 0 })) {
    for (const event of events) {
      if (event.type !== "visit-ended" && event.type !== "visit-failed") continue;
      const { place, output } = event;
      if (place.type === "sub-step" && place.step === loop) found.set(place.task, output);
    }
  }
  const { tasks = [], failed: indexes = [] } = ownEntry(run.loops, loop) ?? {};
  const failed = new Set(indexes);
  return new Map(
    tasks.flatMap(({ id, title }, index) => {
      const output = found.get(id);
      return output === undefined ? [] : [[id, { title, output, failed: failed.has(index) }]];
    }),
  );
}

/** From here on, instructions show the ends of a request, and a file next to the journal has all of it. */
const longestRequest = 20_000;
const requestEnds = 8_000;
const requestFile = "request.md";

async function shownRequest(where: Where, run: StartedRun): Promise<string | undefined> {
  const request = await findRequest(where, run);
  if (request?.file == null) return request?.text;
  return truncateMiddle(request.text, requestEnds, `read @${request.file} for the whole request`);
}

/** What the person asked for, and a file that has it if it is too long to be shown. */
export async function findRequest(
  where: Where,
  run: StartedRun,
): Promise<{ readonly text: string; readonly file: string | null } | undefined> {
  const text = await requestOf(where, run.runId);
  if (text === undefined) return undefined;
  const isLong = codePoints(text, longestRequest + 1) > longestRequest;
  return { text, file: isLong ? keepRequest(where, run, text) : null };
}

/** The path of the file as its reader sees it. It can be rebuilt from the journal at any time, so it is not flushed. */
function keepRequest({ roots }: Where, run: StartedRun, request: string): string {
  const path = join(roots.stateRoot, stateFolder, "runs", run.runId, requestFile);
  const root = runProjectRoot(roots, run);
  const text = fillProjectRoot(request, root);
  try {
    if (readTextIfExists(path, sizeLimits.runFile) !== text) replaceFile(path, text, "quick");
  } catch (error) {
    // The ends of the request are still worth more than an error.
    if (!(error instanceof HoldfastError)) throw error;
  }
  return pathInside(root, path) ?? path;
}

export async function latestOutput(
  { journal }: Pick<Where, "journal">,
  standing: Standing,
  step: string,
): Promise<string | null> {
  const ref = Object.hasOwn(standing.outputs, step) ? standing.outputs[step] : undefined;
  const commit = ref === undefined ? null : await journal.find(standing.run.runId, ref);
  const event = commit?.events.findLast(
    (each) => (each.type === "visit-ended" || each.type === "visit-failed") && each.place.step === step,
  );
  return event?.type === "visit-ended" || event?.type === "visit-failed" ? event.output : null;
}

/**
 * How the last visit ended. A failed attempt that is repeated is not an end. In a loop with `parallel`, which is `loop`, it
 * is the last one of the visit's own task, else the last one before the loop.
 */
export async function lastEnding(
  { journal }: Where,
  { outputs, run }: Standing,
  loop: string | null,
  visit: Visit | null,
): Promise<Ending | null> {
  const own = loop === null || visit === null ? null : taskKey(visit.place);
  const isOthers = (key: string) => loop !== null && key !== own && (key === loop || key.startsWith(`${loop}\n`));
  const newest = Object.entries(outputs).filter(([key]) => !isOthers(key));
  newest.sort(([, a], [, b]) => b.version - a.version);
  // Each look costs a read of the journal, and the newest is nearly always an end.
  for (const [key, ref] of newest.slice(0, 3)) {
    const commit = await journal.find(run.runId, ref);
    const ending = commit?.events.filter(isEnding).findLast(({ place }) => key !== own || taskKey(place) === own);
    if (ending !== undefined) return ending;
  }
  return null;
}

export type Ending = EventOf<"visit-ended"> | EventOf<"visit-failed">;

function isEnding(event: RunEvent): event is Ending {
  return event.type === "visit-ended" || (event.type === "visit-failed" && event.retry === null);
}

/** What the person asked for, from the first event; undefined if they said nothing, or only a summary to an older version. */
export async function requestOf({ journal }: Pick<Where, "journal">, runId: string): Promise<string | undefined> {
  const first = await journal.find(runId, { version: 1, place: 0 });
  const started = first?.events.find((event) => event.type === "run-started");
  return started?.type === "run-started" ? started.request : undefined;
}

/** The root of the worktree of a run or of a claim, or of the current one if that is gone or on another machine. */
export function runProjectRoot(
  roots: Roots,
  where: Pick<StartedRun, "worktree"> & Pick<Claim, "clone"> & { readonly runId?: string },
): string {
  const { worktree, runId } = where;
  if (worktree === roots.worktree) return roots.projectRoot;
  const isElsewhere = runId === undefined ? isClaimedElsewhere(roots, where) : isFromElsewhere(roots, runId);
  if (isElsewhere) return roots.projectRoot;
  return worktreeTop(roots.projectRoot, worktree) ?? roots.projectRoot;
}

/** Whether a shared run began on another machine. The worktree that it names is there, and here it is worked on where the caller is. */
export function isFromElsewhere({ stateRoot }: Roots, runId: string): boolean {
  return readCopyMark(join(stateRoot, stateFolder, "runs"), runId)?.isOwn === false;
}

/** Whether a task was claimed in another clone. The worktree that the claim names is there, and one of that name here is another. */
export function isClaimedElsewhere({ stateRoot }: Roots, claim: Pick<Claim, "clone"> | null | undefined): boolean {
  if (claim?.clone === undefined) return false;
  const here = cloneAt(stateRoot);
  return here !== undefined && claim.clone !== here;
}
