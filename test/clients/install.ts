import { claudeProgram, codexProgram } from "./programs.ts";
import { installTmux } from "./tmux.ts";

/** Before any test, so that a slow download counts against no test's time. */
export async function setup(): Promise<void> {
  await Promise.all([claudeProgram(), codexProgram(), installTmux()]);
}
