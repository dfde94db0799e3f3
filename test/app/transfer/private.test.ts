import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { contentOf } from "../world.ts";
import { makeMachines } from "./machines.ts";

const flow = `
variables: { place: "", note: "" }
steps:
  - { id: plan, type: action, instructions: "Plan it at {vars.place}", gate: [{ run: "echo $MY_API_KEY $HOME; pwd; echo $GITHUB_TOKEN; echo $HOLDFAST_VAR_PLACE > place.txt" }] }
  - { id: build, type: loop }
  - { id: ship, type: action, instructions: "Ship {outputs.plan}", gate: [{ approval: human }] }
loops:
  build: [{ id: do, instructions: "Do {task.title} for {vars.place}" }]
`;

const secrets = {
  MY_API_KEY: "sk-0123456789",
  GITHUB_TOKEN: "ghp_abcdefgh",
  DB_PASSWORD: "p4ssw0rd!",
  AWS_SECRET_ID: "AKIAxxxxxxxx",
};

it("no stored byte holds a clone's path, a home or a secret, whoever wrote it", async () => {
  const { ada, bob, remote } = makeMachines({ flow });
  const here = `${ada.project}/src and ${ada.home}/notes with ${Object.values(secrets).join(", ")}`;
  const agent = ada.agent("s1", secrets);
  const person = ada.person({ env: secrets });
  await person.ok("trust", { workflow: "flow" });
  const { runId: run } = await agent.ok("start", {
    workflow: "flow",
    summary: `in ${ada.project}`,
    variables: { place: `${ada.project}/out`, note: here },
  });
  await agent.ok("advance", { output: here, variables: { more: here } });
  await agent.ok("tasks", { loop: "build", tasks: [{ id: "t1", title: here, description: here }] });
  await agent.ok("advance", { output: here, failed: true });
  await agent.ok("advance", { output: here });
  await agent.no("advance", { output: here });
  await person.ok("reject", { reason: here });
  await person.ok("pause", { reason: here });
  await person.ok("push", { run, yes: true });
  const { text } = await person.ok("export", { run });
  const objects = execFileSync("git", ["--git-dir", remote, "cat-file", "--batch-all-objects", "--batch"], {
    encoding: "latin1",
  });
  await bob.script().ok("pull");
  const places = [contentOf(ada.runFolder(run)), contentOf(bob.runFolder(run)), { text, objects }];
  const stored = JSON.stringify(places.map((files) => Object.values(files)));
  for (const planted of [ada.project, ada.home, bob.project, bob.home, ...Object.values(secrets)]) {
    expect(stored.includes(planted), planted).toBe(false);
  }
  expect(stored).toContain("{project_root}/src and ~/notes with ***, ***, ***, ***");
  expect(readdirSync(ada.runFolder(run)).some((name) => name.startsWith("."))).toBe(false);
});

it("what was kept without its place has the place of the machine where it is read", async () => {
  const { ada, bob } = makeMachines({ flow });
  const agent = ada.agent();
  await ada.person().ok("trust", { workflow: "flow" });
  const { runId: run } = await agent.ok("start", { workflow: "flow", variables: { place: `${ada.project}/out` } });
  await ada.person().ok("push", { run });
  await bob.script().ok("pull");
  expect(await bob.agent("s2").ok("status")).toMatchObject({
    instructions: expect.stringContaining(`Plan it at ${bob.project}/out`),
  });
  await bob.person().ok("trust", { workflow: run });
  await bob.agent("s2").ok("advance");
  expect(Object.values(contentOf(`${bob.project}`)).some((text) => text === `${bob.project}/out\n`)).toBe(true);
});

it("an advance that names the place it comes from is known again when it is repeated", async () => {
  const { ada } = makeMachines({
    flow: "steps: [{ id: a, type: action, instructions: x }, { id: b, type: action, instructions: y }]",
  });
  const agent = ada.agent();
  await agent.ok("start", { workflow: "flow" });
  const sent = { token: "a#1", output: `wrote ${ada.project}/a.md` };
  await agent.ok("advance", sent);
  expect(await agent.ok("advance", sent)).toMatchObject({ step: "b", replayed: true });
});
