import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentVariable } from "../../src/hosts/agents.ts";
import { contractProblem, hookEvents, hookOutput } from "../../src/hosts/contract/contract.ts";
import { hostNames } from "../../src/hosts/contract/names.ts";
import { contracts } from "../../src/hosts/contracts.ts";
import { parseHookInput } from "../../src/hosts/hook-input.ts";
import { findHosts, hosts } from "../../src/hosts/hosts.ts";
import { hostCases } from "./cases.ts";
import { everything } from "./host-case.ts";

describe.each(hostNames)("%s", (name) => {
  const { inputs, outputs, rejected, shell, settings } = hostCases[name];
  const contract = contracts[name];
  const host = hosts[name];

  it.each(inputs)("tells of $event in a form that is read", ({ event, input, reads }) => {
    expect(parseHookInput(name, event, JSON.stringify(input))).toMatchObject({ host: name, name: event, ...reads });
  });

  it.each(hookEvents)("takes from %s all that it accepts, and nothing else", (event) => {
    expect(hookOutput(contract, event, everything)).toBe(outputs[event]);
    expect(contractProblem(contract, event, outputs[event])).toBeNull();
    expect(hookOutput(contract, event, {})).toBe("");
    expect(hookOutput(contract, event, { context: " \n", block: "", notice: "\t", instructions: "" })).toBe("");
    expect(contractProblem(contract, event, "\n")).toBeNull();
  });

  it.each(rejected)("would not heed what %s says with %j", (event, output, problem) => {
    expect(contractProblem(contract, event, output)).toBe(problem);
  });

  it("has room for a handoff", () => {
    const { limit, unit } = contract.room;
    expect(limit).toBeGreaterThan(1_000);
    expect(limit).toBeLessThan(unit === "characters" ? 10_000 : 2_500);
  });

  it.each(shell)("shows with %s that an agent is at work", (variable) => {
    expect(agentVariable({ HOME: "/home/a", [variable]: "1" })).toBe(variable);
    expect(agentVariable({ HOME: "/home/a", [variable]: "" })).toBeUndefined();
  });

  it("is found by its folder in the project", () => {
    const [project, home] = [emptyFolder(), emptyFolder()];
    expect(findHosts(project, { home, path: "" })).not.toContain(name);
    mkdirSync(join(project, host.folder), { recursive: true });
    expect(findHosts(project, { home, path: "" })).toContain(name);
  });

  it.each(host.files)("gets $path from nothing, and leaves nothing there", (file) => {
    const put = file.putIn(null);
    expect(put).toMatchObject({ ok: true });
    const text = put.ok ? put.text : "";
    expect(file.putIn(text)).toEqual({ ok: true, text });
    expect(file.takeOut(text, null)).toEqual({ ok: true, text: null });
  });

  const theirs = host.files.flatMap((file) =>
    (settings[file.path] ?? []).map((text) => ({ file, path: file.path, text })),
  );
  it.each(theirs)("leaves what people have in $path: $text", ({ file, text }) => {
    const put = file.putIn(text);
    const installed = put.ok ? put.text : "";
    expect(installed).not.toBe(text);
    expect(file.putIn(installed)).toEqual({ ok: true, text: installed });
    expect(file.takeOut(installed, text)).toEqual({ ok: true, text });
  });

  it("has a case for every file that people may have", () => {
    for (const path of Object.keys(settings)) expect(host.files.map((file) => file.path)).toContain(path);
  });
});

function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), "holdfast-hosts-"));
}
