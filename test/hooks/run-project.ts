import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createProject, type Project } from "../cli/program.ts";
import { session } from "./events.ts";

const held = `
name: held
description: A plan and a build that is not to be left
type: implementation
hold: true
required_reading: ["@docs/guide.md", "@docs/rules.md"]
key_reminders: ["Run the tests"]
variables: { feature: dark-mode }
steps:
  - { id: plan, type: action, instructions: "Plan {run.summary}", artefacts: true }
  - { id: build, type: action, instructions: "Build what was planned: {outputs.plan}", artefacts: true }
`;

export const agentsReminder = "Written by the agent";

/** A project with one run in its second step, which the session of these tests sits in, and a card with a word of the agent's. */
export async function startedProject(): Promise<Project> {
  const project = createProject();
  project.write(".holdfast/workflows/held.yaml", held);
  project.write("docs/guide.md", "The guide\n");
  project.write("CLAUDE.local.md", "# Notes\n\nNothing of note.\n");
  const env = { HOLDFAST_SESSION: session };
  await project.json(["start", "held", "--summary", "Dark mode"], { env });
  await project.json(["advance", "--output", "A plan in three parts"], { env });
  const card = cardOf(project);
  project.write(
    card.path,
    JSON.stringify({ ...card.value, key_reminders: ["Run the tests", agentsReminder], mood: "calm" }),
  );
  return project;
}

/** The same project in another place, so that each test may break its own. */
export function copyOf(project: Project): Project {
  const copy = createProject();
  cpSync(project.root, copy.root, { recursive: true });
  return copy;
}

export function filesOf(project: Pick<Project, "root">): ReadonlyMap<string, string> {
  if (!existsSync(project.root)) return new Map();
  const entries = readdirSync(project.root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [path.slice(project.root.length + 1), readFileSync(path, "latin1")]));
}

export interface CardFound {
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: a card is compared with literals
  readonly value: any;
}

/** All cards of a project, read as any tool would. */
export function cardsOf(project: Project): CardFound[] {
  const paths = [...filesOf(project).keys()].filter((path) => /^untracked\/.*\/state-[^/]*\.json$/.test(path));
  return paths.sort().map((path) => ({ path, value: JSON.parse(project.read(path)) }));
}

/** The only card. */
export function cardOf(project: Project): CardFound {
  const [card, ...others] = cardsOf(project);
  if (card === undefined || others.length > 0) throw new Error(`${others.length + (card === undefined ? 0 : 1)} cards`);
  return card;
}

/** The events of the only run of a project, in order. Of two lines for one version the first counts. */
// biome-ignore lint/suspicious/noExplicitAny: events are compared with literals
export function eventsOf(project: Project): any[] {
  const lines = project
    .journal()
    .split("\n")
    .filter((line) => line !== "");
  const commits = lines.map((line) => JSON.parse(line));
  const first = new Map(commits.toReversed().map(({ version, events }) => [version, events]));
  return [...first].sort(([a], [b]) => a - b).flatMap(([, events]) => events);
}
