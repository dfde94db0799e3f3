import { expect, it } from "vitest";
import { createProject, type Project, twoSteps, whole } from "./program.ts";

const approval = twoSteps.replace("type: action,", "type: action, gate: [{ approval: human }],");

function projectWith(workflows: Readonly<Record<string, string>>): Project {
  const project = createProject();
  for (const [name, text] of Object.entries(workflows)) {
    project.write(`.holdfast/workflows/${name}.yaml`, text.replace(/name: .*/, `name: ${name}`));
  }
  return project;
}

async function shown(project: Project): Promise<string> {
  const { code, stdout, stderr } = await project.holdfast([]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

it("the program alone shows the help where Holdfast was never used", async () => {
  const project = createProject();
  expect(await shown(project)).toBe((await project.holdfast(["--help"])).stdout);
});

it("in a project without a run, it says how to start one", async () => {
  const project = projectWith({ flow: twoSteps });
  expect(await shown(project)).toBe(
    [
      "no live run",
      "",
      "Next",
      "  holdfast list                 List the workflows you can start here",
      '  holdfast start feature "..."  Start one for a request',
      "  holdfast doctor               Check the setup of your agent",
      "",
      "All commands: holdfast --help",
      "",
    ].join("\n"),
  );
});

it("it shows the live run, what waits for the person, and the command for that first", async () => {
  const project = projectWith({ flow: approval });
  const { runId } = (await project.json(["start", "flow", "Add a toggle"])).value;
  expect(await shown(project)).toMatch(
    /\nNext\n {2}holdfast status .*\n {2}holdfast log --follow .*\n {2}holdfast pause /,
  );
  await project.holdfast(["advance", "--output", "Planned"]);
  const text = await shown(project);
  expect(text).toMatch(new RegExp(`^ {2}${runId} +waiting +plan .* Add a toggle\\n`));
  expect(text).toContain("\nWaiting for you\n  flow needs your approval at plan\n");
  expect(text).toMatch(
    /\nNext\n {2}holdfast approve .*\n {2}holdfast reject --reason "\.\.\." .*\n {2}holdfast status /,
  );
});

it("it says which run a command is for where several are live", async () => {
  const project = projectWith({ flow: twoSteps, other: whole });
  const first = (await project.json(["start", "flow", "--session", "s1"])).value.runId;
  const second = (await project.json(["start", "other", "--session", "s2"])).value.runId;
  await project.holdfast(["ask", "Which\ncolour?", "--session", "s2"]);
  const text = await shown(project);
  for (const runId of [first, second]) expect(text).toContain(runId);
  expect(text).toContain("\n  other asks: Which colour?\n");
  expect(text).toContain('\nNext\n  holdfast answer "..." --run other');
  await project.holdfast(["answer", "Red", "--run", "other", "--session", "s2"]);
  await project.holdfast(["pause", "--run", "flow"]);
  expect(await shown(project)).toMatch(/\n {2}flow is paused\n\nNext\n {2}holdfast resume --run flow /);
});
