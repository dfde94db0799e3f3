import { runCli } from "../../src/cli/run-cli.ts";
import { recordedIo } from "../cli/recorded-io.ts";

/** One call of the command line. */
export interface CliCall {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether a person is there, who says no to everything. */
  readonly isTerminal: boolean;
}

export interface CliAnswer {
  readonly code: number;
  readonly output: string;
}

// One process answers call after call, so that a call costs no start; who called kills it when an answer is late.
process.on("message", async ({ words, cwd, env, isTerminal }: CliCall) => {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const ask = async () => "no";
  const { io, said } = recordedIo({ cwd, env, isTerminal, ask, readInput: async () => Buffer.from("- [ ] one\n") });
  const traces: string[] = [];
  const keepTrace = (trace: string) => {
    traces.push(trace);
    return null;
  };
  const code = await runCli(words, { ...io, keepTrace });
  const answer: CliAnswer = { code, output: said.out + said.err + traces.join("\n") };
  process.send?.(answer);
});
