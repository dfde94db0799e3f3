import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Project } from "../../cli/program.ts";
import type { HostDriver, HostSession } from "./driver.ts";

/** A project with a run in its second step, and the session that brought it there. */
export interface Scene {
  readonly driver: HostDriver;
  readonly project: Project;
  readonly session: HostSession;
  readonly runId: string;
  /** What the model must know after a loss of context. */
  readonly facts: readonly string[];
}

interface Check {
  /** Stands in the documentation. */
  readonly title: string;
  run(scene: Scene): Promise<void>;
}

export const workflow = `
name: knot
description: Tie a knot
hold: true
required_reading: ["@docs/rope.md"]
key_reminders: ["Never cut the rope"]
variables: { rope: hemp }
steps:
  - { id: measure, type: action, instructions: Measure the rope }
  - { id: tie, type: action, instructions: Tie the bowline }
  - { id: check, type: action, instructions: Check the knot }
`;

/** What an agent program and Holdfast do together. Every host is held to each of them, except for what it has no way to do. */
const all = {
  tools: {
    title: "the tools are offered, and the workflow is driven with them",
    async run({ project }) {
      expect((await project.json(["status"])).value).toMatchObject({ status: "running", token: "tie#1" });
    },
  },
  "new session": {
    title: "a new session is told about the run",
    async run({ driver, project, session, runId }) {
      await session.close();
      const fresh = await driver.open(project);
      await fresh.prompt("What is the capital of France?");
      expectFacts(fresh.asked()[0], ["knot", "in progress", runId]);
      await fresh.close();
    },
  },
  compact: {
    title: "after a compaction by hand the next request has every fact",
    async run({ session, facts }) {
      await session.compact();
      expect(session.compactions().length).toBeGreaterThan(0);
      session.asked();
      await session.prompt("Go on");
      expectFacts(session.asked()[0], facts);
    },
  },
  "automatic compaction": {
    title: "after an automatic compaction the next request has every fact",
    async run({ driver, session, facts }) {
      session.plan({ calls: [driver.shell("echo a knot")], inputTokens: 195_000 }, { text: "Looked." });
      await session.prompt("Look at it");
      if (session.compactions().length === 0) await session.prompt("And again");
      expect(session.compactions().length).toBeGreaterThan(0);
      await session.prompt("Go on");
      expectFacts(session.asked().at(-1), facts);
    },
  },
  summary: {
    title: "the request for the summary says what it must keep",
    async run({ session, runId }) {
      await session.compact();
      expectFacts(session.compactions().at(-1), [runId]);
    },
  },
  clear: {
    title: "after a clear the next request has every fact",
    async run({ session, facts }) {
      await session.clear();
      session.asked();
      await session.prompt("Go on");
      expectFacts(session.asked()[0], facts);
    },
  },
  resume: {
    title: "a resumed session has every fact",
    async run({ driver, project, session, facts }) {
      await session.close();
      const resumed = await driver.open(project, { resumes: session.id() });
      await resumed.prompt("Go on");
      expectFacts(resumed.asked()[0], facts);
      await resumed.close();
    },
  },
  kill: {
    title: "after a kill a resumed session has every fact",
    async run({ driver, project, session, facts }) {
      await session.kill();
      const resumed = await driver.open(project, { resumes: session.id() });
      await resumed.prompt("Go on");
      expectFacts(resumed.asked()[0], facts);
      await resumed.close();
    },
  },
  stop: {
    title: "with `hold: true` an agent that stops too early is sent back once",
    async run({ session }) {
      session.asked();
      await session.prompt("Go on");
      expectFacts(session.asked().at(-1), ["The workflow knot is not complete"]);
    },
  },
  shell: {
    title: "what only a person may do is refused in its shell",
    async run({ driver, session }) {
      const command = `${process.execPath} ${process.env.HOLDFAST_TEST_CLI} trust knot --yes`;
      session.plan({ calls: [driver.shell(command)] }, { text: "Tried." });
      await session.prompt("Trust it");
      expectFacts(session.asked().at(-1), ["is for a person: this is an agent's shell"]);
    },
  },
  subfolder: {
    title: "started in a subfolder, it is told about the run and the tools work",
    async run({ driver, project, session, runId }) {
      await session.close();
      const below = await driver.open(project, { folder: "src/deep" });
      // A server that connects late is known from the second prompt on.
      await below.prompt("Hello");
      below.asked();
      below.plan({ calls: [{ name: driver.tool("workflow_status"), input: {} }] }, { text: "I see." });
      await below.prompt("Where are we?");
      const [first, second] = below.asked();
      expectFacts(first, [runId]);
      expectFacts(second, ["Tie the bowline"]);
      await below.close();
    },
  },
  undo: {
    title: "`init --remove` leaves every file as it was before `init`",
    async run({ driver, project, session }) {
      await session.close();
      await project.holdfast(["init", "--host", driver.host, "--remove", "--yes"]);
      const before = filesIn(project);
      await project.holdfast(["init", "--host", driver.host, "--yes"]);
      expect(filesIn(project)).not.toEqual(before);
      await project.holdfast(["init", "--host", driver.host, "--remove", "--yes"]);
      expect(filesIn(project)).toEqual(before);
    },
  },
} satisfies Readonly<Record<string, Check>>;

export type CheckName = keyof typeof all;

export const checks: readonly (Check & { readonly name: CheckName })[] = Object.entries(all).map(([name, check]) => ({
  name: name as CheckName,
  ...check,
}));

/** Tells only what is missing: what a model is given fills many screens. */
function expectFacts(text: string | undefined, facts: readonly string[]): void {
  expect(facts.filter((fact) => !text?.includes(fact))).toEqual([]);
}

/** Every file of a project but those of the run. */
function filesIn({ root }: Project): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/node_modules|\.holdfast\/(runs|sessions)|untracked|\.git\//.test(path));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, "utf8")]));
}
