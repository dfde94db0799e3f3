import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";

/** What a process runs. */
export interface Program {
  /** The executable file. */
  readonly file: string;
  readonly args: readonly string[];
}

/** Null if the process is gone, belongs to another user, or the system does not show it. */
export function programOf(pid: number): Program | null {
  try {
    if (process.platform !== "linux") return fromProcessList(pid);
    const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    // An update may have replaced the file meanwhile.
    return { file: readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ""), args: args.slice(0, -1) };
  } catch (error) {
    if (error instanceof Error && ("code" in error || "status" in error)) return null;
    throw error;
  }
}

/** `ps` joins the arguments with spaces, so one that has spaces is seen as several. */
function fromProcessList(pid: number): Program {
  const ask = (field: string) =>
    execFileSync("ps", ["-o", `${field}=`, "-p", String(pid)], { encoding: "utf8" }).trim();
  return { file: ask("comm"), args: ask("args").split(" ") };
}
