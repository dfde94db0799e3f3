import { claudeProgram, codexProgram } from "./programs.ts";

/** Before any test, so that a slow download counts against no test's time. */
export async function setup(): Promise<void> {
  await Promise.all([claudeProgram(), codexProgram()]);
}
