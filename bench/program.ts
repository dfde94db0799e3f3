import { cpSync } from "node:fs";
import { join } from "node:path";
import { bundleCli } from "../scripts/bundle-cli.ts";

/** The bundled program, outside the work tree. */
export async function makeProgram(folder: string): Promise<string> {
  const program = join(folder, "program/dist/bin/holdfast.js");
  await bundleCli(program);
  cpSync("workflows", join(folder, "program/workflows"), { recursive: true });
  cpSync("package.json", join(folder, "program/package.json"));
  return program;
}
