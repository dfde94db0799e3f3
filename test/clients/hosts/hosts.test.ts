import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hostNames } from "../../../src/hosts/contract/names.ts";
import { installedProject } from "../continuity.ts";
import { checks, type Scene, workflow } from "./checks.ts";
import { claudeDrivers } from "./claude.ts";
import { codexDriver } from "./codex.ts";
import { copilotDriver } from "./copilot.ts";
import type { HostDriver } from "./driver.ts";
import { opencodeDriver } from "./opencode.ts";
import { hostsPage } from "./page.ts";

const drivers: readonly HostDriver[] = [...claudeDrivers, codexDriver, copilotDriver, opencodeDriver];

describe.each(drivers)("$host $version", (driver) => {
  test.each(checks.filter(({ name }) => driver.lacks[name] === undefined))("$title", async ({ run }) => {
    await run(await setScene(driver));
  });
});

test("every host is driven, and the documentation says what was seen", async () => {
  expect([...new Set(drivers.map(({ host }) => host))]).toEqual(hostNames);
  await expect(hostsPage(drivers)).toMatchFileSnapshot("../../../docs/hosts.md");
});

/** A run in its second step, with something said before, so that there is something to compact. */
async function setScene(driver: HostDriver): Promise<Scene> {
  const project = await installedProject(driver.host);
  project.write(".holdfast/workflows/knot.yaml", workflow);
  project.write("docs/rope.md", "About rope\n");
  // Some look for settings above only within a repository.
  execFileSync("git", ["init", "--quiet"], { cwd: project.root });
  mkdirSync(join(project.root, "src/deep"), { recursive: true });
  const session = await driver.open(project);
  const call = (name: string, input: Readonly<Record<string, unknown>>) => ({
    calls: [{ name: driver.tool(name), input }],
  });
  await session.prompt("Hello");
  session.plan(call("workflow_start", { workflow: "knot" }), { text: "Started." });
  await session.prompt("Start the knot workflow");
  session.plan(call("workflow_advance", { output: "twelve metres", token: "measure#1" }), { text: "Measured." });
  await session.prompt("Measure it");
  const { runId, token } = (await project.json(["status"])).value;
  const facts = [
    runId,
    token,
    "1 measure  twelve metres",
    "Tie the bowline",
    "@docs/rope.md",
    "Never cut the rope",
    "rope: hemp",
  ];
  return { driver, project, session, runId, facts };
}
