import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Finding, mend, well } from "../../hosts/contract/finding.ts";
import { type Surroundings, versionIn } from "../../hosts/diagnose/diagnose.ts";
import { whichFlag } from "../../hosts/shims/shims.ts";
import { isRecord, parseJson } from "../../model/json.ts";
import { installation } from "../../project/version.ts";
import type { Io } from "../terminal/io.ts";
import { runCall } from "./run-call.ts";

/** What a shim would start. */
export interface ShimCheck {
  readonly findings: readonly Finding[];
  /** Whether it is this installation. Nothing else is run, because nobody has said that it may be. */
  readonly isThis: boolean;
}

/** Asks a shim that is exactly ours what it would start, without starting that. */
export async function checkShim(shim: string, { project, version }: Surroundings, io: Io): Promise<ShimCheck> {
  const { found, refused } = await askShim(shim, project, io);
  const skipped = refused.map((file) => note("shims", `they do not start ${file}, because ${whyNot}`, againstIt));
  if (found === null) {
    const missing = mend("shims", "they cannot find Holdfast", install);
    return { findings: [missing, ...skipped], isThis: false };
  }
  const home = dirname(dirname(dirname(realpathSync(found))));
  if (home === realpathSync(installation)) {
    return { findings: [well("shims", `they start Holdfast ${version}`), ...skipped], isThis: true };
  }
  return { findings: [otherInstallation(home, version), ...skipped], isThis: false };
}

const install = "npm install --save-dev holdfast, or npm install --global holdfast";
const whyNot = "git tracks it, or it belongs to another user";
const againstIt = "remove it from the repository, and install Holdfast with npm";

interface ShimAnswer {
  readonly found: string | null;
  /** What it has found, but does not start. */
  readonly refused: readonly string[];
}

async function askShim(shim: string, cwd: string, io: Io): Promise<ShimAnswer> {
  const call = { command: "node", args: [shim, whichFlag], cwd, env: io.env, input: "" };
  const answer = parseJson((await runCall(call)).output);
  const { found = null, refused = [] } = isRecord(answer) ? answer : {};
  return {
    found: typeof found === "string" && existsSync(found) ? found : null,
    refused: Array.isArray(refused) ? refused.filter((file) => typeof file === "string") : [],
  };
}

/** Its version is read, not asked for. */
function otherInstallation(home: string, version: string): Finding {
  const has = versionIn(home) ?? "of an unknown version";
  if (has !== version) {
    const message = `they start Holdfast ${has} in ${home}, but this is ${version}`;
    return mend("shims", message, "install the same version in both places with npm");
  }
  const message = `they start ${home}, which is not this installation, so the hooks were not tried`;
  return note("shims", message, `to try them: node ${join(home, "dist/bin/holdfast.js")} doctor`);
}

function note(name: string, message: string, next: string): Finding {
  return { name, status: "note", message, next };
}
