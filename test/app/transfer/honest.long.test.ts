import fc from "fast-check";
import { expect, it } from "vitest";
import { checkCopy } from "../../../src/app/transfer/check-copy.ts";
import { decide } from "../../../src/engine/commands/decide.ts";
import { evolve } from "../../../src/engine/evolve/evolve.ts";
import type { Command } from "../../../src/model/command.ts";
import type { Run } from "../../../src/model/run.ts";
import { RunEvent } from "../../../src/model/schemas.ts";
import type { Template } from "../../../src/model/template.ts";
import { hashTemplate, templateFile } from "../../../src/templates/hash.ts";
import { cases } from "../../dose.ts";
import { runId } from "../../engine/drive.ts";
import { commandFor, type Intent, intent } from "../../engine/random-command.ts";
import { randomTemplate } from "../../engine/random-template.ts";
import { journalOf } from "./forge.ts";

interface Walk {
  /** The two templates, by their hashes. */
  readonly laws: ReadonlyMap<string, Template>;
  run: Run;
  commits: RunEvent[][];
  tokens: string[];
  last: Command | null;
}

/** One command of anyone's; now and then the workflow is changed, the run received elsewhere, or its journal repaired. */
function step(walk: Walk, given: Intent, minute: number): void {
  const at = new Date(Date.UTC(2026, 0, 1) + minute * 60_000).toISOString();
  if (given.pick === 42) append(walk, at, { type: "run-received", from: "o", machine: "m", worktree: null, after: 0 });
  if (given.pick === 43) {
    cutTo(walk, 1 + (minute % walk.commits.length));
    append(walk, at, { type: "journal-repaired", by: "ada", kept: walk.commits.length, lost: 1, original: "x" });
  }
  const changes = given.pick % 7 === 6;
  const law = lawOf(walk, changes);
  const adopt: Command = { type: "adopt", templateHash: hashTemplate(law), by: "ada" };
  const command = changes ? adopt : commandFor({ ...walk, law }, given);
  const decision = decide(law, walk.run, command.type === "adopt" ? adopt : command, at);
  if (!decision.ok || decision.events.length === 0) return;
  commit(walk, decision.events);
}

/** The template that the run has now, or the other one. */
function lawOf({ laws, run }: Walk, other: boolean): Template {
  const [first, second = first] = laws.values();
  const own = run.status === "absent" ? first : laws.get(run.templateHash);
  const law = other && own === first ? second : other ? first : own;
  if (law === undefined) throw new Error("the walk has lost its templates");
  return law;
}

function append(walk: Walk, at: string, fact: object): void {
  commit(walk, [RunEvent.parse({ seq: walk.commits.flat().length + 1, at, ...fact })]);
}

function commit(walk: Walk, events: readonly RunEvent[]): void {
  walk.commits.push([...events]);
  walk.run = events.reduce<Run>(evolve, walk.run);
  for (const event of events) if (event.type === "visit-entered") walk.tokens.push(event.token);
}

/** Back to an earlier commit, and so to the template that the run had there. */
function cutTo(walk: Walk, length: number): void {
  walk.commits = walk.commits.slice(0, length);
  walk.run = walk.commits.flat().reduce<Run>(evolve, { status: "absent" });
}

it("no journal that the engine, a receipt or a repair can write is refused", async () => {
  let adopted = 0;
  await fc.assert(
    fc.asyncProperty(
      randomTemplate,
      randomTemplate,
      fc.array(intent, { minLength: 1, maxLength: 60 }),
      async (first, second, intents) => {
        const laws = new Map([first, second].map((law) => [hashTemplate(law), law]));
        const walk: Walk = { laws, run: { status: "absent" }, commits: [], tokens: [], last: null };
        const start = decide(
          first,
          walk.run,
          { type: "start", runId, templateHash: hashTemplate(first) },
          "2026-01-01T00:00:00.000Z",
        );
        if (!start.ok) throw new Error("a run that is absent can start");
        commit(walk, start.events);
        for (const [minute, given] of intents.entries()) step(walk, given, minute);
        adopted += walk.commits.flat().filter(({ type }) => type === "template-adopted").length;
        const files = new Map(
          [...laws].map(([hash, template]) => [
            templateFile(hash),
            JSON.stringify({ format: 1, from: "random", source: "", template }),
          ]),
        );
        const copy = await checkCopy({
          runId,
          source: "a walk",
          journal: Buffer.from(journalOf(walk.commits)),
          readTemplate: async (name) => files.get(name) ?? null,
          linesBefore: 0,
        });
        expect(copy).toMatchObject({ ok: true });
      },
    ),
    cases({ quick: 200, long: 1_300, soak: 20_000 }, 1_830_718_889),
  );
  expect(adopted).toBeGreaterThan(20);
});
