import { expect, it } from "vitest";
import { giveSecret } from "../mcp/serve.ts";
import { createProject, type Project, twoSteps } from "./program.ts";

async function begin(): Promise<Project> {
  const project = createProject();
  project.write(".holdfast/workflows/flow.yaml", twoSteps);
  await project.holdfast(["start", "flow"]);
  return project;
}

it("an agent asks, a person sees the question and answers, and the agent goes on", async () => {
  const project = await begin();
  const asked = await project.holdfast(["ask", "Which database?"]);
  expect(asked).toMatchObject({ code: 0, stderr: "" });
  expect(asked.stdout).toContain("This step waits for the answer to q1:\n> Which database?\n");
  const { stdout } = await project.holdfast(["status"]);
  expect(stdout).toContain("question q1: Which database?");
  expect(stdout).toContain('Next: a person runs holdfast answer "..." or holdfast withdraw.');
  expect(await project.json(["advance"])).toMatchObject({ code: 1, value: { error: { code: "answer-needed" } } });
  const answered = await project.json(["answer", "PostgreSQL", "--question", "q1", ...giveSecret(project)]);
  expect(answered).toMatchObject({ code: 0, value: { status: "running", token: "plan#1" } });
  expect(answered.value.instructions).toContain("answer (ada)\n> PostgreSQL");
  expect(await project.json(["answer", "again"])).toMatchObject({
    code: 1,
    value: { error: { code: "question-not-open" } },
  });
});

it("a person who answers reads what happens next, and an agent that passes an answer on gets its instructions", async () => {
  const project = await begin();
  await project.holdfast(["ask", "Which database?"]);
  const answered = await project.holdfast(["answer", "PostgreSQL", ...giveSecret(project)]);
  expect(answered.stdout).toMatch(
    /^answered: q1 Which database\?\nNext: The agent gets your answer with its instructions\..*\nRun: {2}two-steps-\S+\n$/,
  );
  await project.holdfast(["ask", "Which version?"]);
  const passedOn = await project.holdfast(["answer", "17"]);
  expect(passedOn.stdout).toContain("Which version?\nanswer (passed on by the agent)\n> 17\n");
});

it("a question can be taken back", async () => {
  const project = await begin();
  await project.holdfast(["ask", "Which database?"]);
  expect((await project.holdfast(["withdraw"])).stdout).toMatch(/ {2}running {2}step 1\/2 plan\n$/);
});

it.each([
  [["ask"], "usage"],
  [["ask", ""], "usage"],
  [["ask", "\u200b"], "usage"],
  [["ask", "\x01"], "usage"],
  [["answer"], "usage"],
])("holdfast %j is a usage error", async (words, kind) => {
  const project = await begin();
  const { code, stderr } = await project.holdfast(words);
  expect([code, stderr.startsWith(kind)]).toEqual([2, true]);
});

it("a session whose visit is over is told to look, not of a token that it never sent", async () => {
  const project = await begin();
  await project.holdfast(["next", "--session", "s1"]);
  await project.holdfast(["goto", "ship", "--reason", "enough", ...giveSecret(project)]);
  expect(await project.holdfast(["ask", "What now?", "--session", "s1"])).toEqual({
    code: 1,
    stdout: "",
    stderr: [
      "refused: the visit that this session was given is over (step-stale)",
      "  Its visit   plan#1",
      "  Current     ship#1",
      "  Next        type `holdfast next`: it gives the session what is to be done now",
      "",
    ].join("\n"),
  });
});

it("what a person has made of the todo list is told, and printed when it is replaced", async () => {
  const project = await begin();
  await project.holdfast(["todo", "-"], { input: "- [ ] one\n" });
  project.write("TODO.md", project.read("TODO.md").replace("one", "one, says Bo"));
  expect((await project.holdfast(["next"])).stdout).toMatch(
    /\nTODO\.md was edited since you wrote it; read it before you replace it\n$/,
  );
  expect((await project.holdfast(["todo", "-"], { input: "- [ ] two\n" })).stdout).toBe(
    [
      "TODO.md  0 of 1 done; now: two\n",
      "- [ ] two\n",
      "someone changed the list after you wrote it: merge their changes from previous and send it again\n",
      "Previous\n",
      "- [ ] one, says Bo\n",
    ].join("\n"),
  );
});

it("a todo list is written from a file or from standard input, and shown", async () => {
  const project = await begin();
  expect(await project.holdfast(["todo"])).toEqual({ code: 0, stdout: "The run has no todo list.\n", stderr: "" });
  project.write("list.md", "- [x] one\n- [ ] two\n");
  const shown = "TODO.md  1 of 2 done; now: two\n\n- [x] one\n- [ ] two\n";
  expect((await project.holdfast(["todo", "list.md"])).stdout).toBe(shown);
  expect((await project.holdfast(["todo"])).stdout).toBe(shown);
  const done = await project.json(["todo", "-"], { input: "- [x] one\n- [x] two\n" });
  expect(done).toMatchObject({ code: 0, value: { file: "TODO.md", done: 2, current: null } });
  expect((await project.json(["todo", "-"], { input: "words" })).value).toEqual({
    error: {
      code: "todo-invalid",
      message: "the todo list has no item",
      next: "send the whole list: 1 to 50 lines such as - [ ] open, - [-] in progress, - [x] done",
    },
  });
});
