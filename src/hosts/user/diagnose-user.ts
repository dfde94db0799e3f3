import { join } from "node:path";
import { isHoldfastError } from "../../errors.ts";
import { type Finding, mend } from "../contract/finding.ts";
import type { Host, HostFile } from "../contract/host.ts";
import { diagnoseFile, fileState } from "../diagnose/diagnose-file.ts";
import { wantedHooks } from "../entries/found-hooks.ts";
import { textOf } from "../install/plan.ts";
import { readHomeFile } from "../install/project-file.ts";
import { shimsOf, type UserPlace, userFiles } from "./plan-user.ts";

/** How hosts are set up for every project of a user. */
export interface UserDiagnosis {
  /** Those that are set up, wholly or in part. */
  readonly hosts: readonly Host[];
  readonly findings: readonly Finding[];
  /** The shim that their hooks run; null if it has to be fixed first. */
  readonly shim: string | null;
}

/** Null if no host is set up in this way. */
export function diagnoseUser(place: UserPlace, all: readonly Host[]): UserDiagnosis | null {
  try {
    const hosts = all.filter((host) => userFiles(place, host).some((file) => isThere(stateOf(place, file).type)));
    if (hosts.length === 0) return null;
    const shims = shimsOf(place).map((file) => ({ file, state: stateOf(place, file) }));
    const unsound = shims.filter(({ state }) => state.type !== "current");
    const findings = [
      ...hosts.flatMap((host) => userFiles(place, host).map((file) => examine(place, file))),
      ...unsound.map(({ file, state }) => diagnoseFile("shims", inHome(file), state, again)),
    ];
    return { hosts, findings, shim: unsound.length === 0 ? join(place.folder, "hook.cjs") : null };
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    return { hosts: [], findings: [mend("files", error.message, error.next)], shim: null };
  }
}

const again = "holdfast init --user";

function examine(place: UserPlace, file: HostFile): Finding {
  const name = wantedHooks(file).length > 0 ? "hooks" : "MCP server";
  return diagnoseFile(name, inHome(file), stateOf(place, file), again);
}

function stateOf({ home }: UserPlace, file: HostFile) {
  return fileState(file, textOf(readHomeFile(home, file.path)?.bytes ?? null));
}

function isThere(state: string): boolean {
  return state === "current" || state === "older";
}

function inHome(file: HostFile): HostFile {
  return { ...file, path: `~/${file.path}` };
}
