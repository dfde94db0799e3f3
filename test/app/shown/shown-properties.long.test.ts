import fc from "fast-check";
import { expect, test } from "vitest";
import { handleHookEvent } from "../../../src/app/continuity/events/handle-hook-event.ts";
import { createServerPorts } from "../../../src/app/continuity/ports/server-ports.ts";
import { portableText } from "../../../src/app/privacy/portable-text.ts";
import { cases } from "../../dose.ts";
import { makeWorld } from "../world.ts";
import { toolCaller } from "./call.ts";

const secret = "correct-horse-battery";

/** Instructions and outputs with what must not be kept: a secret of the environment and a path of this machine. */
const words = fc.constantFrom(
  "do it",
  `the key is ${secret}`,
  "in {project_root}/src",
  "two\nlines \u202e turned",
  'a "quote"',
);

const step = fc.record({ type: fc.constantFrom("action", "ralph", "loop"), words });

const act = fc.record({
  name: fc.constantFrom(
    "advance",
    "advance",
    "advance",
    "fail",
    "status",
    "context",
    "tasks",
    "ask",
    "answer",
    "stale",
    "goto",
    "lost",
  ),
  session: fc.constantFrom("s1", "s2"),
  words,
});

function yamlOf(steps: readonly { readonly type: string; readonly words: string }[]): string {
  const rows = steps.map(({ type, words: text }, index) => {
    const more = type === "loop" ? "" : `, instructions: ${JSON.stringify(text.replace("\u202e", ""))}`;
    return `  - { id: s${index}, type: ${type}${type === "ralph" ? ", n: 3" : ""}${more} }`;
  });
  const loops = steps.flatMap(({ type }, index) =>
    type === "loop" ? [`  s${index}: [{ id: make, instructions: Make it }]`] : [],
  );
  return `${loops.length === 0 ? "" : `loops:\n${loops.join("\n")}\n`}steps:\n${rows.join("\n")}`;
}

const tasks = [
  { id: "a", title: "A" },
  { id: "b", title: "B" },
];

test("at every event of a run the recorded text is what the agent was given at that moment, without secrets", async () => {
  let recordings = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 4 }),
      fc.array(act, { minLength: 5, maxLength: 25 }),
      async (steps, acts) => {
        const world = makeWorld({ git: false });
        world.workflow("walk", yamlOf(steps));
        const faces = { s1: agent("s1"), s2: agent("s2") };
        const started = await toolCaller(faces.s1.deps)("workflow_start", { workflow: "walk" });
        const { runId } = JSON.parse(started) as { runId: string };
        const given = new Map<number, string>();
        const person = world.person();
        const last = async () => (await person.events(runId)).length;
        given.set(await last(), started);
        for (const { name, session, words: text } of acts) {
          const face = faces[session as "s1" | "s2"];
          const shown = await perform(face, runId, name, text);
          if (shown === null) continue;
          const event = await last();
          given.set(event, shown);
          // What another session was shown of the same visit counts just as well: it is the newest.
          expect((await person.ok("handoff", { run: runId, at: event })).text).toBe(masked(face, shown));
        }
        for (const [event, shown] of given) {
          const { text, recorded } = await person.ok("handoff", { run: runId, at: event });
          expect(text).toBe(masked(faces.s1, shown));
          expect(text).not.toContain(secret);
          expect(recorded?.event).toBeLessThanOrEqual(event);
          recordings += 1;
        }

        function agent(session: string) {
          return world.script({ session, env: { CLAUDECODE: "1", DEPLOY_KEY: secret } });
        }

        function masked({ deps }: typeof faces.s1, text: string): string {
          return portableText(deps, world.project, text);
        }
      },
    ),
    cases({ quick: 5, long: 100, soak: 1_000 }),
  );
  expect(recordings).toBeGreaterThan(0);

  /** What the agent was shown; null if nothing. */
  async function perform(
    face: ReturnType<ReturnType<typeof makeWorld>["script"]>,
    run_id: string,
    name: string,
    text: string,
  ) {
    const call = toolCaller(face.deps);
    switch (name) {
      case "advance":
        return call("workflow_advance", { run_id, output: text });
      case "fail":
        return call("workflow_advance", { run_id, output: text, failed: true });
      case "stale":
        return call("workflow_advance", { run_id, output: text, token: "s0#1" });
      case "status":
        return call("workflow_status", { run_id });
      case "context":
        return call("workflow_context", { run_id });
      case "tasks":
        return call("workflow_set_tasks", { run_id, loop_id: "s1", tasks });
      case "ask":
        return call("ask_question", { run_id, question: text });
      case "answer":
        return call("answer_question", { run_id, answer: text });
      case "goto":
        await face.ask("goto", { run: run_id, step: "s0", reason: text });
        return null;
      default: {
        const hook = { session: face.deps.caller.session ?? "", host: "claude", via: "project", parent: "1.1" };
        const nothing = { agent: null, transcript: null, trigger: null, reason: null, summaryLength: null };
        const event = { ...nothing, stopActive: false, paths: [], name: "SessionStart", source: "compact" } as const;
        const { context, about } = await handleHookEvent(await createServerPorts(face.deps), hook, event);
        return about === undefined ? null : (context ?? null);
      }
    }
  }
});
