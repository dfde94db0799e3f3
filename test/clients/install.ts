import { execFileSync } from "node:child_process";
import { claudeProgram, codexProgram, copilotEnvironment, copilotProgram, opencodeProgram } from "./programs.ts";
import { installTmux } from "./tmux.ts";

/** Before any test, so that a slow download counts against no test's time. */
export async function setup(): Promise<void> {
  const [copilot] = await Promise.all([
    copilotProgram(),
    claudeProgram(),
    codexProgram(),
    opencodeProgram(),
    installTmux(),
  ]);
  // It unpacks itself.
  execFileSync(copilot, ["help"], { env: { ...process.env, ...copilotEnvironment(copilot) } });
}
