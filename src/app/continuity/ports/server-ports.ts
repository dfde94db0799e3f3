import { join } from "node:path";
import { type CardFolder, createCardFolder } from "../../../cards/card-folder.ts";
import type { Deps } from "../../../operation/operation.ts";
import { refuseLinks, stateFolder } from "../../../platform/links.ts";
import { isRunnerAlive } from "../../../platform/runner.ts";
import { findSettings } from "../../../project/compiled-settings.ts";
import { isWorkedOn, readCopyMark } from "../../../store/copy-mark.ts";
import { isRemovedCopy } from "../../../store/journal-file.ts";
import { ageOfCopy } from "../../../store/reach.ts";
import { machineOf } from "../../privacy/portable-text.ts";
import { liveRuns } from "../../runs/choose-run.ts";
import { readFrozen } from "../../workflows/frozen-template.ts";
import type { ContinuityPorts } from "./ports.ts";

/** With write access to the cards. */
export interface ServerPorts extends ContinuityPorts {
  /** Null when cards are turned off. */
  readonly cards: CardFolder | null;
}

/** The ports for servers and commands: drivers that validate everything they read. */
export async function createServerPorts(deps: Deps): Promise<ServerPorts> {
  const { roots, journal, files, sessions } = deps;
  refuseLinks(roots.stateRoot);
  const { settings, problem } = await findSettings(roots.stateRoot);
  const runs = join(roots.stateRoot, stateFolder, "runs");
  return {
    roots,
    cwd: roots.projectRoot,
    journal,
    files,
    sessions,
    cards: settings.cards.on ? createCardFolder(roots.stateRoot, settings.cards) : null,
    settings,
    troubles: problem === null ? [] : [problem],
    now: deps.now,
    templateOf: async (run) => (await readFrozen(deps, run)).template,
    liveRuns: () => liveRuns(deps),
    queueOf: async () => null,
    isHere: async (runId) => isWorkedOn(readCopyMark(runs, runId)),
    isRemoved: (runId) => isRemovedCopy(runs, runId),
    ageOfCopy: async (runId) => ageOfCopy(join(roots.stateRoot, stateFolder), runId),
    machine: () => machineOf(deps),
    isAlive: isRunnerAlive,
  };
}
