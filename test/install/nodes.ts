import { dirname } from "node:path";
import { architecture, installedProgram } from "../installed-program.ts";

/** The oldest Node that package.json allows, and the newest of the later lines when this was written. */
export const nodeVersions = ["20.19.0", "22.23.3", "24.21.0"] as const;

/** The folder that holds the program `node`, to be put first on the PATH. */
export async function nodeFolder(version: string): Promise<string> {
  // What the package `node` downloads when its install script runs.
  const name = `node-linux-${architecture()}`;
  const binary = `node_modules/${name}/bin/node`;
  return dirname(await installedProgram({ folder: `node-${version}`, package: `${name}@${version}`, binary }));
}
