import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "../test/cli/program.ts";
import type { ClaudeOptions, ClaudeSession } from "../test/clients/claude.ts";
import type { ClaudeRequest } from "../test/clients/claude-request.ts";
import { call, type createFullSubagent, type PlannedModel } from "../test/clients/continuity.ts";
import type { Reply } from "../test/clients/reply.ts";
import { until } from "../test/mcp/serve.ts";
import { gateFile } from "./retention-case.ts";

/** A conversation in the middle of its work, and all that can happen to it. */
export interface Stage {
  readonly project: Project;
  readonly model: PlannedModel;
  readonly subagent: ReturnType<typeof createFullSubagent>;
  session: ClaudeSession;
  /** The id of the conversation. */
  id: string;
  open(more?: Partial<ClaudeOptions>): Promise<ClaudeSession>;
}

/** Loses the context, and returns what the model is asked next. */
export type Loss = (stage: Stage) => Promise<ClaudeRequest | undefined>;

export const losses: Readonly<Record<string, Loss>> = {
  async compact(stage) {
    await stage.session.prompt("/compact");
    return next(stage);
  },
  async "mid-turn"(stage) {
    await talk(stage);
    return compactedMidTurn(stage, {
      calls: [{ name: "Read", input: { file_path: join(stage.project.root, "rope.txt") } }],
    });
  },
  async clear(stage) {
    await stage.session.prompt("/clear");
    return next(stage);
  },
  async resume(stage) {
    await stage.session.close();
    await reopen(stage);
    return next(stage);
  },
  async kill(stage) {
    await stage.session.kill();
    await reopen(stage);
    return next(stage);
  },
  async fork(stage) {
    await stage.session.close();
    await reopen(stage, ["--fork-session"]);
    return next(stage);
  },
  async gate(stage) {
    rmSync(join(stage.project.root, gateFile));
    stage.model.plan(call("workflow_advance", { output: "Is it good?" }), { text: "The gate is running." });
    await stage.session.prompt("Finish it");
    await stage.session.prompt("/compact");
    return next(stage);
  },
  async subagent(stage) {
    const { model, subagent, session } = stage;
    model.plan(subagent.call, { text: "The subagent is done." });
    await session.prompt("Ask a subagent");
    await until("the subagent ends", () => subagent.hasEnded());
    await session.prompt("/compact");
    return next(stage);
  },
  async "five in a row"(stage) {
    for (let turn = 0; turn < 5; turn++) {
      await talk(stage);
      await stage.session.prompt("/compact");
    }
    return next(stage);
  },
};

async function talk({ session }: Stage): Promise<void> {
  await session.prompt("Talk to me");
  await session.prompt("Talk to me again");
}

async function compactedMidTurn({ model, session }: Stage, work: Reply): Promise<ClaudeRequest | undefined> {
  const before = model.compactions().length;
  model.asked();
  model.plan({ ...work, inputTokens: 195_000 }, { text: "Looked." });
  await session.prompt("Look at it");
  if (model.compactions().length === before) throw new Error("nothing was compacted");
  return model.asked().at(-1);
}

async function reopen(stage: Stage, words: readonly string[] = []): Promise<void> {
  stage.session = await stage.open({ resumes: { session: stage.id }, words });
}

async function next({ model, session }: Stage): Promise<ClaudeRequest | undefined> {
  model.asked();
  await session.prompt("Go on");
  return model.asked()[0];
}
