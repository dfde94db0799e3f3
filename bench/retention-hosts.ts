// The same table as `retention.ts` for the hosts beside Claude Code: which share of the critical facts is in the handoff
// that the model gets first after a loss of context. All of it through the real programs. `npm run bench:retention`.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Project } from "../test/cli/program.ts";
import { installedProject, latestHandoffs } from "../test/clients/continuity.ts";
import type { CheckName } from "../test/clients/hosts/checks.ts";
import { codexDriver } from "../test/clients/hosts/codex.ts";
import { copilotDriver } from "../test/clients/hosts/copilot.ts";
import type { HostDriver, HostSession } from "../test/clients/hosts/driver.ts";
import { opencodeDriver } from "../test/clients/hosts/opencode.ts";
import type { Reply } from "../test/clients/reply.ts";
import { type Case, gateCommand, gateFile } from "./retention-case.ts";
import {
  addTo,
  type Count,
  cases,
  cell,
  inParallel,
  isThere,
  layOut,
  phaseText,
  print,
  shapes,
  shown,
} from "./retention-count.ts";

/** A conversation in the middle of its work. */
interface Stage {
  readonly driver: HostDriver;
  readonly project: Project;
  session: HostSession;
}

interface Loss {
  /** What the host must be able to do for it. */
  readonly needs: readonly CheckName[];
  /** Loses the context. The next prompt must bring it back. */
  lose(stage: Stage): Promise<void>;
}

const losses: Readonly<Record<string, Loss>> = {
  compact: { needs: ["compact"], lose: ({ session }) => session.compact() },
  automatic: {
    needs: ["automatic compaction"],
    async lose({ driver, session }) {
      for (let tries = 0; session.compactions().length === 0 && tries < 5; tries++) {
        session.plan({ calls: [driver.shell("cat rope.txt")], inputTokens: 195_000 }, { text: "Looked." });
        await session.prompt("Look at it");
      }
    },
  },
  clear: { needs: ["clear"], lose: ({ session }) => session.clear() },
  resume: {
    needs: ["resume"],
    async lose(stage) {
      await stage.session.close();
      await reopen(stage);
    },
  },
  kill: {
    needs: ["kill"],
    async lose(stage) {
      await stage.session.kill();
      await reopen(stage);
    },
  },
  gate: {
    needs: ["compact"],
    async lose({ driver, project, session }) {
      rmSync(join(project.root, gateFile));
      session.plan(calling(driver, "workflow_advance", { output: "Is it good?" }), { text: "The gate is running." });
      await session.prompt("Finish it");
      await session.compact();
    },
  },
  "five in a row": {
    needs: ["compact"],
    async lose({ session }) {
      for (let turn = 0; turn < 5; turn++) {
        await session.prompt("Talk to me");
        await session.compact();
      }
    },
  },
};

test.each([codexDriver, copilotDriver, opencodeDriver])(
  "$host: after every loss, every critical fact is there",
  async (driver) => {
    const counts = new Map<string, Count>();
    const missing: string[] = [];
    const possible = Object.entries(losses).filter(([, { needs }]) => needs.every((name) => !(name in driver.lacks)));
    const jobs = possible.flatMap(([name, { lose }]) => cases.map((one) => ({ one, name, lose })));
    await inParallel(
      jobs.filter(({ one, name }) => name !== "gate" || one.workflow !== null),
      async ({ one, name, lose }) => {
        const stage = await open(driver, one, name === "gate");
        await lose(stage);
        const { facts, text } = await look(stage, one, name === "gate");
        const lost = facts.filter((fact) => !isThere(stage.project, text, fact));
        addTo(counts, `${one.shape} ${name}`, facts.length, lost.length);
        missing.push(...lost.map((fact) => `${one.summary || one.shape}, ${name}: ${shown(fact)}`));
      },
    );
    const names = possible.map(([name]) => name);
    const rows = shapes.map((shape) => [shape, ...names.map((name) => cell(counts.get(`${shape} ${name}`)))]);
    print(`${driver.host} ${driver.version}, after a loss`, [["", ...names], ...rows]);
    expect(missing).toEqual([]);
  },
);

/** Brings a workflow to its point. */
async function open(driver: HostDriver, one: Case, gates: boolean): Promise<Stage> {
  const project = await installedProject(driver.host);
  layOut(project, one, gates);
  const session = await driver.open(project);
  await session.prompt("Hello");
  const { workflow, summary } = one;
  if (workflow !== null) {
    session.plan(calling(driver, "workflow_start", { workflow: workflow.name, summary }), { text: "Started." });
  }
  await session.prompt("Start");
  session.plan(...one.calls.map((reply) => named(driver, reply)), { text: "Done." });
  await session.prompt("Work");
  return { driver, project, session };
}

async function reopen(stage: Stage): Promise<void> {
  stage.session = await stage.driver.open(stage.project, { resumes: stage.session.id() });
}

/** What there is to know, and the handoff alone, so that what is left of the conversation does not count. */
async function look({ project, session }: Stage, one: Case, gates: boolean) {
  session.asked();
  await session.prompt("Go on");
  const [asked = ""] = session.asked();
  const status = one.workflow === null ? null : (await project.json(["status"])).value;
  project.write(gateFile, "");
  await session.close();
  const place = status === null ? [] : [status.runId, status.token, phaseText(status.phase)];
  const facts = [...place, ...(gates ? [gateCommand] : []), ...one.later, ...one.rules];
  return { facts, text: latestHandoffs(asked)[0] ?? "" };
}

function calling(driver: HostDriver, name: string, input: Readonly<Record<string, unknown>>): Reply {
  return { calls: [{ name: driver.tool(name), input }] };
}

/** The cases name tools as Claude Code does. */
function named(driver: HostDriver, { calls = [], ...reply }: Reply): Reply {
  return { ...reply, calls: calls.map(({ name, input }) => ({ name: driver.tool(name.slice(prefix.length)), input })) };
}

const prefix = "mcp__holdfast__";
