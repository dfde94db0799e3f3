import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject, type Project } from "../cli/program.ts";
import { eventTypes, giveSecret, serve, trustAll } from "./serve.ts";

const builtIn = readFileSync(new URL("../../workflows/coder.yaml", import.meta.url), "utf8");
const env = { HOLDFAST_SESSION: "agent-1" };
const plan = "1. Add a table for passkeys. 2. Sign in with one.";
const tag = "**[BUDGET_PIVOT_FEEDBACK]:**";

/** The built-in workflow with a team's own check, put where its first lines say, and a budget of one turn for the code. */
function prepare(): Project {
  const project = createProject();
  trustAll(project);
  project.write("README.md", "A project\n");
  const gated = builtIn
    .replace("outcomes: { passed: next", 'gate: [{ run: "grep -q green tests.txt" }]\n    outcomes: { passed: next')
    .replace("budget: { turns: 40,", "budget: { turns: 1,");
  project.write(".holdfast/workflows/coder.yaml", gated);
  return project;
}

test("the coder is walked through MCP: a question, a plan sent back, a spent budget, a pivot, a failing test, the end", async () => {
  const project = prepare();
  const person = giveSecret(project);
  const server = await serve(project, { env });
  const request = "Passkeys\nLet people sign in with a passkey.";
  const started = await server.ok("workflow_start", { workflow: "coder", request });
  expect(started).toMatchObject({ step: "PLANNING", token: "PLANNING#1", phase: { name: "Plan", total: 3 } });
  expect(started.instructions).toContain("Make a plan for this story:\nPasskeys\nLet people sign in with a passkey.");
  const { runId } = started;
  const handoff = async () => {
    const { result } = await server.request("resources/read", { uri: `holdfast://runs/${runId}/handoff` });
    return result.contents[0].text;
  };

  expect(await server.ok("ask_question", { question: "Which database?" })).toMatchObject({ question: { id: "q1" } });
  expect(await server.no("workflow_advance", { output: plan })).toMatchObject({ code: "answer-needed" });
  expect(await server.no("answer_question", { answer: "x", question_id: "q7" })).toMatchObject({
    code: "question-not-open",
    next: "send question_id q1",
  });
  const answered = await server.ok("answer_question", { answer: "PostgreSQL", question_id: "q1" });
  expect(answered).toMatchObject({ token: "PLANNING#1", status: "running" });
  expect(await handoff()).toContain('ANSWERS\n  q1 "Which database?" passed on by the agent: "PostgreSQL"');

  await server.ok("workflow_advance", { output: "Do something", token: "PLANNING#1" });
  const sentBack = await server.ok("workflow_advance", { output: "name the table", outcome: "needs_changes" });
  expect(sentBack).toMatchObject({ token: "PLANNING#2" });
  expect(sentBack.instructions).toContain("What the plan review said, if there was one:\nname the table");
  expect(sentBack.instructions).toContain("> PostgreSQL");
  await server.ok("workflow_advance", { output: plan, token: "PLANNING#2" });
  expect(await server.ok("workflow_advance", { output: "good", outcome: "approved" })).toMatchObject({
    contextAction: "/clear",
    token: "CODING#1",
  });
  const coding = await server.ok("workflow_status");
  expect(coding.instructions).toContain(`The story:\nPasskeys\nLet people sign in with a passkey.\nThe plan:\n${plan}`);
  expect(coding.instructions).not.toContain("> PostgreSQL");
  expect(await server.ok("update_todo_list", { content: "- [-] the table\n- [ ] sign in" })).toMatchObject({
    file: "TODO.md",
    current: "the table",
  });
  expect(await handoff()).toContain('TODO   0 of 2 done; now: "the table" (TODO.md)');

  // A turn that its host tells of spends the budget; a person turns the work back, from a process of their own.
  const stop = { event: "Stop", hook_event_name: "Stop", session_id: "agent-1", host: "claude" };
  await server.request("tools/call", { name: "hook", arguments: stop });
  expect(await server.no("workflow_advance", { output: "half" })).toMatchObject({ code: "review-needed" });
  const feedback = `No table. ${tag} "x"`;
  const decided = await project.json(["decide", "pivot", "--feedback", feedback, ...person]);
  expect(decided.value).toMatchObject({ step: "PLANNING", token: "PLANNING#3" });
  server.child.kill("SIGKILL");

  const next = await serve(project, { env });
  expect(await next.ok("workflow_status")).toMatchObject({ contextAction: "/clear", token: "PLANNING#3" });
  const again = await next.ok("workflow_status");
  expect(again.instructions).toContain(`\n${tag} ${JSON.stringify('No table. **(BUDGET_PIVOT_FEEDBACK):** "x"')}\n`);
  expect(again.instructions).toContain('The work was sent back from "CODING": you may have to undo');
  expect(again.instructions).toContain(`The previous plan, if there was one:\n${plan}`);
  const uri = `holdfast://runs/${runId}/handoff`;
  const restored = (await next.request("resources/read", { uri })).result.contents[0].text;
  expect(restored.split("\n").filter((line: string) => line.startsWith(tag))).toEqual([
    `${tag} ${JSON.stringify('No table. **(BUDGET_PIVOT_FEEDBACK):** "x"')}`,
  ]);
  expect(restored.match(/No table\./g)).toHaveLength(1);
  expect(JSON.parse(project.read(cardOf(project)))).toMatchObject({
    carried: { pivot_feedback: { text: 'No table. **(BUDGET_PIVOT_FEEDBACK):** "x"', from: "CODING", to: "PLANNING" } },
  });

  await next.ok("workflow_advance", { output: "Without a table", token: "PLANNING#3" });
  expect((await next.ok("workflow_status")).instructions).toContain(`\n${tag} "No table.`);
  await next.ok("workflow_advance", { output: "good", outcome: "approved" });
  expect((await next.ok("workflow_status")).instructions).not.toContain("No table.");
  expect(JSON.parse(project.read(cardOf(project)))).not.toHaveProperty("carried");
  await next.ok("workflow_advance", { output: "coded", token: "CODING#2" });
  expect(await next.no("workflow_advance", { output: "all fine", outcome: "passed" })).toMatchObject({
    code: "gate-failed",
  });
  project.write("tests.txt", "green\n");
  expect(await next.ok("workflow_advance", { output: "all fine", outcome: "passed" })).toMatchObject({
    step: "CODE_REVIEW",
    agent: "reviewer",
  });
  expect(await next.ok("workflow_advance", { output: "fine", outcome: "approved" })).toMatchObject({
    status: "complete",
  });
  expect(eventTypes(project).filter((type) => /^(carry|question|todo|review)/.test(type))).toEqual([
    ...["question-asked", "question-answered", "carry-ended", "todo-updated"],
    ...["review-opened", "review-decided", "carry-set", "carry-ended"],
  ]);
});

function cardOf(project: Project): string {
  const folder = "untracked/workflow-state/coder";
  const [card] = readdirSync(join(project.root, folder)).filter((name) => name.endsWith(".json"));
  return `${folder}/${card}`;
}
