import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { makeCrowd, removeCrowd } from "../../bench/many-runs.ts";
import { createProject, ended, type Project } from "../cli/program.ts";
import { counted, seed, times } from "../dose.ts";
import { contextOf, runHook } from "../hooks/hook-program.ts";
import { giveSecret, serveHere } from "../mcp/serve.ts";

const many = times({ quick: 300, long: 3_000, soak: 3_000 });
const rounds = times({ quick: 3, long: 8, soak: 200 });

test(`the live one of ${many} runs is found, while processes that keep the index are killed and the index is damaged`, async () => {
  const project = await crowdedProject();
  const person = giveSecret(project);
  const random = randomOf(seed);
  const index = join(project.root, ".holdfast/cache/runs");
  const { runs } = (await project.json(["runs"])).value;
  const ids: string[] = runs.map(({ runId }: { readonly runId: string }) => runId);
  let live = (await project.json(["status"])).value.runId;
  let older = "";
  for (let round = 1; round <= counted(rounds); round++) {
    const where = `round ${round}, HOLDFAST_SEED=${seed}`;
    const next = ids[Math.floor(random() * ids.length)] ?? "";
    const victims = ["runs", "status", "next"].map((command) => project.begin([command, "--json"]));
    const deaths = victims.map(async (victim) => {
      const death = ended(victim);
      await setTimeout(random() * 500);
      victim.kill("SIGKILL");
      return death;
    });
    // While they read and write, the run ends and another one is reopened.
    if (next !== live) {
      for (const words of [
        ["abort", "--run", live],
        ["reopen", next, ...person],
      ])
        expect(await project.json(words), where).toMatchObject({ code: 0 });
      live = next;
    }
    await Promise.all(deaths);
    const text = existsSync(index) ? readFileSync(index, "latin1") : "";
    const damage = damages[Math.floor(random() * damages.length)];
    if (text !== "" && damage !== undefined) writeFileSync(index, damage(text, older, random()), "latin1");
    if (round % 5 === 1) older = text;
    await expectFound(project, live, where);
  }
});

/** What becomes of the index between two looks. */
const damages: readonly ((text: string, older: string, chance: number) => string)[] = [
  (text) => text,
  () => "",
  (text, _, chance) => text.slice(0, Math.floor(chance * text.length)),
  (text, _, chance) => text.slice(Math.floor(chance * text.length)),
  // Every live run has ended, and the other way round. The numbers of a journal that has changed since do not fit.
  (text, older) => (older === "" ? text : older.replaceAll(" L ", " E ").replaceAll('"running"', '"aborted"')),
  (_, older) => older,
];

/** By commands, by a hook of a new session, and by a new server. */
async function expectFound(project: Project, live: string, where: string): Promise<void> {
  expect((await project.json(["status"])).value, where).toMatchObject({ runId: live, status: "running" });
  const { runs } = (await project.json(["runs", "--live"])).value;
  expect(runs, where).toMatchObject([{ runId: live }]);
  const hook = await runHook(project, "SessionStart", { session_id: `s-${where}`, source: "resume" });
  expect(contextOf(hook), where).toContain(live);
  const server = await serveHere(project);
  expect(await server.ok("workflow_status"), where).toMatchObject({ runId: live });
  await server.close();
}

async function crowdedProject(): Promise<Project> {
  const project = createProject();
  const crowd = await makeCrowd({ ended: many - 1, live: 1 });
  renameSync(join(crowd, ".holdfast"), join(project.root, ".holdfast"));
  removeCrowd(crowd);
  return project;
}

/** Numbers that look random, always the same for a seed. */
function randomOf(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
