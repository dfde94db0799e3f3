import { setTimeout } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { ended } from "../cli/program.ts";
import { createProcessMark } from "../runner/marked-processes.ts";
import { isCompaction, lastUserText } from "./claude-request.ts";
import { createDriven, createShipwright, parts, wholeWorkflow } from "./driven-claude.ts";
import { claudeVersions } from "./programs.ts";

const mostKills = 10;
const victims = ["runner", "agent", "both"] as const;

test(`after ${mostKills} kills of the runner, of Claude Code and of both, every visit has ended exactly once and nothing is left`, {
  timeout: 300_000,
}, async () => {
  const kills = { runner: 0, agent: 0, both: 0 };
  const killed = () => kills.runner + kills.agent + kills.both;
  const shipwright = createShipwright(() => driven.write("polished", ""));
  // The last visit does not end before all kills have happened.
  const driven = await createDriven(
    wholeWorkflow,
    async (request) => {
      const isLast = !isCompaction(request) && lastUserText(request).includes("Ship it");
      while (isLast && killed() < mostKills) await setTimeout(50);
      return shipwright(request);
    },
    claudeVersions.newest,
  );
  driven.write("gate.sh", "exit 0");
  const mark = createProcessMark();
  let runner = driven.start(mark.env);
  let end = ended(runner);
  const nextVictim = createVictims(() => driven.events().filter(({ type }) => type === "visit-ended").length);
  while (killed() < mostKills) {
    const agents = await vi.waitFor(() => found(mark.find(/^claude /)), { timeout: 60_000, interval: 20 });
    await setTimeout(Math.random() * 2_500);
    expect(runner.exitCode).toBeNull();
    const victim = nextVictim(killed());
    if (victim !== "runner") for (const pid of new Set([...agents, ...mark.find(/^claude /)])) kill(pid);
    if (victim !== "agent") {
      runner.kill("SIGKILL");
      await end;
      await mark.gone();
      runner = driven.start(mark.env);
      end = ended(runner);
    }
    kills[victim] += 1;
  }
  const { code, stdout } = await end;
  expect({ code, stdout: code === 0 ? "" : stdout }).toEqual({ code: 0, stdout: "" });
  process.stdout.write(`kills that took effect: ${JSON.stringify(kills)}\n`);
  const over = driven.events().flatMap((event) => (event.type === "visit-ended" ? [String(event.token)] : []));
  expect(over.filter((token, index) => over.indexOf(token) !== index)).toEqual([]);
  expect(over.filter((token) => token.startsWith("build/"))).toHaveLength(2 * parts.length);
  expect(driven.events().filter(({ type }) => type === "drive-began")).toHaveLength(1 + kills.runner + kills.both);
  await mark.gone();
});

/** Three losses of the agent in one visit would end in a question to a person. On a slow machine no visit ends in between. */
function createVictims(over: () => number): (turn: number) => (typeof victims)[number] {
  let lost = { over: 0, times: 0 };
  return (turn) => {
    if (lost.over !== over()) lost = { over: over(), times: 0 };
    const victim = lost.times >= 2 ? "runner" : (victims[turn % victims.length] ?? "both");
    if (victim !== "runner") lost.times += 1;
    return victim;
  };
}

function found(pids: readonly number[]): readonly number[] {
  expect(pids).not.toEqual([]);
  return pids;
}

/** It may have ended by itself. */
function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
