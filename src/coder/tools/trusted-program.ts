import { isAbsolute } from "node:path";
import { findProgram } from "../../platform/find-program.ts";
import type { ToolScene } from "./tool.ts";

/** Where a program is that we start ourselves; null if it is not installed. One that the worktree brings along is not it. */
export function trustedProgram({ root, env }: Pick<ToolScene, "root" | "env">, name: string): string | null {
  const places = (env.PATH ?? "")
    .split(":")
    .filter((place) => isAbsolute(place) && !`${place}/`.startsWith(`${root}/`));
  return findProgram(name, "/", places.join(":"));
}
