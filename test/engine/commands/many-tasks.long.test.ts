import { expect, test } from "vitest";
import { drive } from "../drive.ts";

const looped = `
loops:
  build:
    - { id: write, instructions: x, when: task.title != 'nothing' }
steps:
  - { id: plan, type: action, instructions: x }
  - { id: build, type: loop }
  - { id: end, type: action, instructions: x }
`;

test("tens of thousands of skipped sub-steps are one decision", () => {
  const driver = drive(looped);
  const tasks = Array.from({ length: 20_000 }, (_, n) => ({ id: `t${n}`, title: "nothing" }));
  driver.ok({ type: "set-tasks", loop: "build", tasks }).done();
  expect(driver.run).toMatchObject({ status: "running", last: { step: "end" } });
});
