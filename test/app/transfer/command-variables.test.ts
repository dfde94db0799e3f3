import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { forge } from "./forge.ts";
import { type Machine, makeMachines } from "./machines.ts";

const flow = `
variables: { check: { type: command, default: touch default.txt } }
steps:
  - { id: work, type: action, instructions: Work, gate: [{ command: check }] }
  - { id: more, type: action, instructions: More, gate: [{ command: check }] }
`;
const source = "run.holdfast";

async function exported(check: string) {
  const machines = makeMachines({ flow });
  const { runId: run } = await machines.ada.person().ok("start", { workflow: "flow", variables: { check } });
  const { text } = await machines.ada.script().ok("export", { run });
  return { ...machines, run, text: text ?? "" };
}

function ran(machine: Machine): string[] {
  return ["default.txt", "evil.txt"].filter((name) => existsSync(join(machine.project, name)));
}

describe("a received run with a command", () => {
  it("runs it only after a person here has read it", async () => {
    const { bob, run, text } = await exported("touch evil.txt");
    await bob.person().ok("trust", { workflow: "flow" });
    await bob.script().ok("import", { text, source });
    const refusal = await bob.agent().no("advance", { run });
    expect(refusal).toMatchObject({
      code: "template-untrusted",
      workflow: run,
      covers: [
        "gate of work, at most 10m, from check: touch evil.txt",
        "gate of more, at most 10m, from check: touch evil.txt",
        `run ${run}: it came from elsewhere, with the values of its variables`,
      ],
    });
    expect(ran(bob)).toEqual([]);
    await bob.person().ok("trust", { workflow: run });
    expect(await bob.agent().ok("advance", { run })).toMatchObject({ step: "more" });
    expect(ran(bob)).toEqual(["evil.txt"]);
  });

  it("is confirmed again although the same command is trusted here", async () => {
    const { bob, run, text } = await exported("touch default.txt");
    await bob.person().ok("trust", { workflow: "flow" });
    await bob.script().ok("import", { text, source });
    expect(await bob.agent().no("advance", { run })).toMatchObject({ code: "template-untrusted", workflow: run });
    await bob.person().ok("trust", { workflow: run });
    expect(await bob.agent().ok("advance", { run })).toMatchObject({ step: "more" });
  });

  it("asks again on the machine that it comes back to", async () => {
    const { ada, bob, run, text } = await exported("touch default.txt");
    await bob.script().ok("import", { text, source });
    await bob.person().ok("trust", { workflow: run });
    await bob.agent().ok("advance", { run });
    const back = await bob.script().ok("export", { run });
    await ada.script().ok("import", { text: back.text ?? "", source });
    expect(await ada.agent().no("advance", { run })).toMatchObject({ code: "template-untrusted", workflow: run });
  });

  it("that sets the command in the middle is not received", async () => {
    const { ada, bob, run } = await exported("touch default.txt");
    await ada.agent().ok("advance", { run });
    const { text } = await ada.script().ok("export", { run });
    const forged = forge(text ?? "", (commits) =>
      commits.map((events) =>
        events.map((event) =>
          event.type === "visit-ended" ? { ...event, variables: { check: "touch evil.txt" } } : event,
        ),
      ),
    );
    expect(await bob.script().no("import", { text: forged, source })).toMatchObject({
      code: "copy-damaged",
      problem: 'it sets the command "check" after the run was started',
    });
  });
});
