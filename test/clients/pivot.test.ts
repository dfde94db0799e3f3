import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { giveSecret } from "../mcp/serve.ts";
import { claudeText } from "./claude-request.ts";
import { call, expectRestored, handoffsIn, installedProject, openInstalled, startPlannedModel } from "./continuity.ts";

const tag = "**[BUDGET_PIVOT_FEEDBACK]:**";
const plan = "1. Add a table for passkeys. 2. Sign in with one.";

test("what a person said at a pivot is in the first request after the clear that the pivot asked for, and in each one until the new plan is approved", async () => {
  const project = await installedProject("claude");
  project.write("README.md", "A project\n");
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.org", ...words], {
      cwd: project.root,
      encoding: "utf8",
    });
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message", "one");
  const commit = git("rev-parse", "HEAD").slice(0, 12);
  const person = giveSecret(project);
  const model = await startPlannedModel();
  const session = await openInstalled(project, model, {
    words: ["--model", "claude-sonnet-4-5"],
    env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" },
  });

  model.plan(
    call("workflow_start", { workflow: "coder", request: "Passkeys\nSign in with a passkey." }),
    call("ask_question", { question: "Which database?" }),
    { text: "Which database?" },
  );
  await session.prompt("Start the coder workflow");
  model.plan(
    call("answer_question", { answer: "PostgreSQL" }),
    call("workflow_advance", { output: plan, token: "PLANNING#1" }),
    { text: "Planned." },
  );
  await session.prompt("PostgreSQL");
  model.asked();
  await session.prompt("/compact");
  await session.prompt("Where are we?");
  expectRestored(model.asked().at(-1), ['q1 "Which database?" passed on by the agent: "PostgreSQL"', plan]);

  model.plan(call("workflow_advance", { output: "good", outcome: "approved" }), { text: "Please run /clear." });
  await session.prompt("Review it");
  await session.prompt("/clear");
  model.asked();
  model.plan(
    call("workflow_status"),
    call("update_todo_list", { content: "- [x] the table\n- [-] sign in\n- [ ] docs" }),
    { text: "Begun." },
  );
  await session.prompt("Go on");
  const [coding] = model.asked();
  expectRestored(coding, ["step 3/5 CODING", plan, "Sign in with a passkey."]);
  expect(claudeText(coding as never)).not.toContain("PostgreSQL");

  // Each prompt is a turn; when they are spent, a person decides.
  for (let turn = 0; turn < 45 && (await project.json(["status"])).value.status === "running"; turn++) {
    await session.prompt("Go on");
  }
  const decided = await project.json(["decide", "pivot", "--feedback", "No table:\nuse the file store.", ...person]);
  expect(decided.value).toMatchObject({ step: "PLANNING", token: "PLANNING#2" });
  model.plan(call("workflow_status"), { text: "Please run /clear." });
  await session.prompt("Decided");
  await session.prompt("/clear");
  model.asked();
  model.plan(call("workflow_status"), call("workflow_advance", { output: "2. The file store.", token: "PLANNING#2" }), {
    text: "Planned anew.",
  });
  await session.prompt("Go on");
  const pivoted = [
    `${tag} "No table: use the file store."`,
    `you may have to undo or change what is already done. At that time it was at commit ${commit}`,
    'TODO   1 of 3 done; now: "sign in" (TODO.md)',
  ];
  expectRestored(model.asked()[0], ["step 1/5 PLANNING", plan, "Sign in with a passkey.", ...pivoted]);

  await session.prompt("/compact");
  await session.prompt("Where are we?");
  expectRestored(model.asked().at(-1), ["step 2/5 PLAN_REVIEW", ...pivoted]);
  model.plan(call("workflow_advance", { output: "good", outcome: "approved" }), { text: "Please run /clear." });
  await session.prompt("Review it");
  await session.prompt("/clear");
  model.asked();
  await session.prompt("Go on");
  const [last] = model.asked();
  expectRestored(last, ["step 3/5 CODING", "2. The file store.", 'TODO   1 of 3 done; now: "sign in" (TODO.md)']);
  expect(handoffsIn(last)[0]).not.toContain("BUDGET_PIVOT_FEEDBACK");
  await session.close();
});
