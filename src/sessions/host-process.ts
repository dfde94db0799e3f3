import { runnerOf } from "../platform/runner.ts";

/** The program that started this process: for a hook or a server, the host. */
export function hostProcess(): string {
  return runnerOf(process.ppid);
}
