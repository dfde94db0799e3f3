import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/** A program as it is started: one with a slash in its name is a file, any other is looked up in PATH. */
export function programPath(program: string, cwd: string): string {
  return program.includes("/") && !isAbsolute(program) ? resolve(cwd, program) : program;
}

/** Where the program is; null if it is nowhere, is a folder, or may not be executed. */
export function findProgram(program: string, cwd: string, path: string): string | null {
  const places = program.includes("/")
    ? [programPath(program, cwd)]
    : path.split(delimiter).map((folder) => join(folder, program));
  return places.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
