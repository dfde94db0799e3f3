import { join } from "node:path";
import { isHoldfastError } from "../../errors.ts";
import { parseJson } from "../../model/json.ts";
import { checkedRunId } from "../../model/run-id.ts";
import { hasCode, readPart } from "../../platform/files.ts";
import { refuseTracked } from "../../store/journal-file.ts";
import { hashedAt } from "../../store/journal-line.ts";
import type { RunTexts } from "../../store/run-files.ts";
import type { Commit } from "../../store/store.ts";
import type { Ref } from "../projection.ts";
import type { RunJournal, Standing } from "../run-journal.ts";
import { openSnapshot, type Snapshot, snapshotName } from "../snapshot.ts";
import { uncheckedEvents, uncheckedSnapshot } from "./unchecked-readers.ts";

export interface HookJournal extends RunJournal {
  /** Like `load`, but long task lists may be missing, since reading them takes longest. Choosing a run needs none. */
  outline(runId: string): Promise<Pick<Standing, "run"> | null>;
}

/**
 * The journal for hooks. Usually the snapshot is current, which the journal's last line proves. Otherwise, and for every
 * write, the journal's full drivers are loaded.
 */
export function createSnapshotFirstJournal(runs: string, files: RunTexts): HookJournal {
  let loaded: RunJournal | null = null;
  const drivers = async () => {
    loaded ??= (await import("./unchecked-journal.ts")).openUncheckedJournal(runs, files);
    return loaded;
  };
  const pathOf = (runId: string) => join(runs, checkedRunId(runId), "journal.jsonl");
  const snapshotOf = async (runId: string) => currentSnapshot(pathOf(runId), await snapshotText(files, runId));
  return {
    async load(runId) {
      refuseTracked(pathOf(runId));
      const snapshot = loaded === null ? await snapshotOf(runId) : null;
      return snapshot?.left.length === 0 ? snapshot : (await drivers()).load(runId);
    },
    async outline(runId) {
      refuseTracked(pathOf(runId));
      return (await snapshotOf(runId)) ?? (await drivers()).load(runId);
    },
    append: async (runId, before, events, after) => (await drivers()).append(runId, before, events, after),
    find: async (runId, ref) => readCommit(pathOf(runId), ref) ?? (await drivers()).find(runId, ref),
    async *read(runId, from) {
      yield* (await drivers()).read(runId, from);
    },
    known: () => null,
    hadEnded: () => null,
    settle: async () => loaded?.settle(),
  };
}

/** In bytes. A longer line is left to the full drivers, which read it in parts. */
const longestLine = 256 * 1024;

/** A snapshot only saves time: if it cannot be read, the journal is read instead. */
async function snapshotText(files: RunTexts, runId: string): Promise<string> {
  try {
    return (await files.read(runId, snapshotName)) ?? "";
  } catch (error) {
    if (!isHoldfastError(error, "file-unreadable")) throw error;
    return "";
  }
}

/** The snapshot, if the journal ends with the commit that the snapshot was made from. */
function currentSnapshot(journal: string, text: string): Snapshot | null {
  const snapshot = uncheckedSnapshot(openSnapshot(text));
  if (snapshot === null) return null;
  const line = bytesFrom(journal, snapshot.place);
  const last = line === null ? null : hashedAt(line, 0);
  const isLast = line !== null && last?.hash === snapshot.head && last.to + 1 === line.length;
  return isLast ? snapshot : null;
}

function readCommit(journal: string, { version, place }: Ref): Commit | null {
  const bytes = bytesFrom(journal, place);
  const line = bytes === null ? null : hashedAt(bytes, 0);
  if (bytes === null || line === null) return null;
  const said = parseJson(bytes.toString("utf8", 0, line.to));
  const events = uncheckedEvents(typeof said === "object" && said !== null && "events" in said ? said.events : null);
  return typeof events === "string" ? null : { version, id: line.hash, place, events };
}

/** The bytes from `place` on, at most as many as one line may have. */
function bytesFrom(path: string, place: number): Buffer | null {
  try {
    return readPart(path, longestLine, place);
  } catch (error) {
    if (hasCode(error, "ENOENT", "EACCES", "EISDIR", "ELOOP", "ENXIO")) return null;
    throw error;
  }
}
