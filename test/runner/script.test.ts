import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readPage } from "../docs/markdown.ts";
import { createDriven } from "./driven.ts";

const [script] = readPage("docs/runner.md").blocks.filter(({ language }) => language === "sh");

const workflow = `
steps:
  - { id: write, type: action, instructions: Write it }
  - { id: review, type: action, instructions: Review it, outcomes: { approved: next, rejected: write } }
  - { id: ship, type: action, instructions: Ship it }
`;

test("the script in docs/runner.md is a complete agent", async () => {
  const project = createDriven(workflow);
  chmodSync(project.write("agent.sh", script?.text ?? ""), 0o755);
  // It has something against the first draft.
  const model = `#!/bin/sh
case "$(cat)" in
  *Review*) if [ -f drafted ]; then echo 'LGTM'; else touch drafted; echo 'Too short'; fi ;;
  *) echo 'Here it is' ;;
esac
`;
  chmodSync(project.write("bin/my-model", model), 0o755);
  const path = `${join(project.root, "bin")}:${project.env.PATH}`;
  expect(await project.drive({ env: { PATH: path } })).toEqual({ type: "complete" });
  const ended = project.events().filter(({ type }) => type === "visit-ended");
  expect(ended.map(({ token, output, outcome }) => [token, output, outcome])).toEqual([
    ["write#1", "Here it is", null],
    ["review#1", "Too short", "rejected"],
    ["write#2", "Here it is", null],
    ["review#2", "LGTM", "approved"],
    ["ship#1", "Here it is", null],
  ]);
});

test("the script in docs/runner.md reports that its model has failed", async () => {
  const project = createDriven("steps: [{ id: write, type: action, instructions: Write it, on_fail: abort }]");
  chmodSync(project.write("agent.sh", script?.text ?? ""), 0o755);
  chmodSync(project.write("bin/my-model", "#!/bin/sh\necho 'no CREDIT' >&2\nexit 7\n"), 0o755);
  const path = `${join(project.root, "bin")}:${project.env.PATH}`;
  expect(await project.drive({ env: { PATH: path } })).toMatchObject({
    type: "failed",
    reason: expect.stringMatching(/no CREDIT/),
  });
});
