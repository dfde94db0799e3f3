import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { hasCode } from "./files.ts";
import { programOf } from "./program-of.ts";

/** Where a process was started. */
export interface Surroundings {
  /** The name of the terminal, such as `pts/3`; null if there is none, or if the system does not tell. */
  readonly terminal: string | null;
  /** The programs above this one, from the nearest. */
  readonly ancestors: readonly Ancestor[];
}

export interface Ancestor {
  readonly pid: number;
  /** What a list of processes calls it. */
  readonly name: string;
  /** Everything that the program may be known by: its file, the script that it interprets, and the package of that. */
  readonly names: readonly string[];
  /** The names of the variables that it was started with and that are not empty. Only Linux tells, and not of other users. */
  readonly variables: readonly string[];
}

/** Of whoever started this process. What the system does not show is left out. */
export function readSurroundings(): Surroundings {
  const ancestors: Ancestor[] = [];
  // However long the chain is: a limit would only say how many shells are enough to hide behind.
  for (let pid = process.ppid; pid > 0; ) {
    const found = process.platform === "linux" ? fromProc(pid) : fromProcessList(pid);
    if (found === null) break;
    const { parent, ...ancestor } = found;
    ancestors.push(ancestor);
    pid = parent;
  }
  return { terminal: terminalName(), ancestors };
}

/** Whether this is a background job of a shell, which is stopped when it reads the terminal. Only Linux tells. */
export function isInBackground(): boolean {
  const stat = readProc("self/stat");
  if (stat === null) return false;
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return group !== foreground;
}

type Found = Ancestor & { readonly parent: number };

function fromProc(pid: number): Found | null {
  const stat = readProc(`${pid}/stat`);
  if (stat === null) return null;
  // The name in parentheses may contain anything; the fields follow it.
  const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
  const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  const variables = (readProc(`${pid}/environ`) ?? "")
    .split("\0")
    .flatMap((each) => /^([^=]+)=./s.exec(each)?.[1] ?? []);
  return { pid, parent, name, names: namesOf(pid, name), variables };
}

function readProc(path: string): string | null {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT", "ESRCH", "EACCES", "EPERM")) return null;
    throw error;
  }
}

function fromProcessList(pid: number): Found | null {
  const [, parent, file] = /^\s*(\d+)\s+(.*)$/.exec(askPs("ppid=,comm=", pid)) ?? [];
  if (parent === undefined || file === undefined) return null;
  const name = basename(file);
  return { pid, parent: Number(parent), name, names: namesOf(pid, name), variables: [] };
}

/** Empty where there is no such program, or no such process. */
function askPs(fields: string, pid: number): string {
  try {
    return execFileSync("ps", ["-o", fields, "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch (error) {
    if (error instanceof Error && ("code" in error || "status" in error)) return "";
    throw error;
  }
}

const interpreter = /^(?:node|nodejs|bun|deno|python[\d.]*|ruby|perl|(?:ba|da|z|k|fi)?sh|tsx|npx)(?:\.exe)?$/;

function namesOf(pid: number, name: string): readonly string[] {
  const { file = "", args = [] } = programOf(pid) ?? {};
  const [own = "", ...rest] = args;
  const programs = [name, basename(file), basename(own)];
  const script = programs.some((each) => interpreter.test(each))
    ? rest.find((each) => !each.startsWith("-"))
    : undefined;
  const paths = [file, own, script ?? ""];
  return [
    ...new Set(
      [...programs, ...(script === undefined ? [] : [basename(script)])].map((each) =>
        each.replace(/\.[a-z]{2,3}$/, ""),
      ),
    ),
    ...paths.flatMap((path) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/s.exec(path)?.[1] ?? []),
  ].filter((each) => each !== "");
}

function terminalName(): string | null {
  if (process.platform !== "linux") {
    const name = askPs("tty=", process.pid).trim();
    return name === "" || name.startsWith("?") ? null : name;
  }
  try {
    return /^\/dev\/(.+)$/.exec(readlinkSync("/proc/self/fd/0"))?.[1] ?? null;
  } catch (error) {
    if (hasCode(error, "ENOENT", "EACCES")) return null;
    throw error;
  }
}
