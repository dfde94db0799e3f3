import { readdirSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hasSameCard, ownCard } from "../../../src/app/runs/own-card.ts";
import { decide } from "../../../src/engine/commands/decide.ts";
import type { Command } from "../../../src/model/command.ts";
import type { Run } from "../../../src/model/run.ts";
import { cases } from "../../dose.ts";
import { commandFor, intent } from "../../engine/random-command.ts";
import { randomTemplate } from "../../engine/random-template.ts";
import { makeWorld } from "../world.ts";

const at = "2026-01-01T00:00:00.000Z";

test("two states that are told to be one to the card make the same card", () => {
  let told = 0;
  fc.assert(
    fc.property(randomTemplate, fc.array(intent, { minLength: 10, maxLength: 60 }), (law, intents) => {
      let run: Run = { status: "absent" };
      let last: Command | null = null;
      for (const next of intents) {
        const tokens = run.status === "absent" ? [] : run.spent.map(({ token }) => token);
        const command = commandFor({ law, run, tokens, last }, next);
        const decision = decide(law, run, command, at);
        if (!decision.ok) continue;
        const after = decision.run;
        if (run.status !== "absent" && after.status !== "absent" && hasSameCard(run, after)) {
          told += 1;
          expect(ownCard(law, after)).toEqual(ownCard(law, run));
        }
        run = after;
        if (command.type === "advance") last = command;
      }
    }),
    cases({ quick: 100, long: 2_000, soak: 20_000 }),
  );
  expect(told).toBeGreaterThan(50);
});

const before = `
required_reading: ["@docs/old.md"]
steps:
  - { id: plan, type: action, instructions: Plan it }
  - { id: ship, type: action, instructions: Ship it }
`;

test("the card follows a workflow that was changed and adopted, and keeps what the agent wrote", async () => {
  const world = makeWorld();
  world.write("docs/old.md", "old");
  world.write("docs/new.md", "new");
  world.workflow("feature", before);
  const { runId } = await world.agent("mine").ok("start", { workflow: "feature" });
  const card = `untracked/workflow-state/feature/${readdirSync(world.path("untracked/workflow-state/feature"))[0]}`;
  const read = () => JSON.parse(world.read(card));
  world.write(card, JSON.stringify({ ...read(), key_reminders: ["Written by the agent"] }));
  const longer = before
    .replace("old.md", "new.md")
    .replace("steps:\n", "steps:\n  - { id: read, type: action, instructions: Read }\n");
  world.workflow("feature", longer);
  await world.person().ok("adopt", { run: runId });
  expect(read()).toMatchObject({
    phase: { current: 2, total: 3 },
    required_reading: ["@docs/new.md"],
    key_reminders: ["Written by the agent"],
  });
});
