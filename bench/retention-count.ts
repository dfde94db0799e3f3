import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "../test/cli/program.ts";
import { trustAll } from "../test/mcp/serve.ts";
import {
  type Case,
  type Fact,
  gateFile,
  generateCase,
  largeArtifacts,
  longLoop,
  textOnly,
  withGates,
} from "./retention-case.ts";

/** How many generated workflows go through every loss. */
const amount = Number(process.env.HOLDFAST_RETENTION ?? 3);
const sideBySide = 2;

const generated = Array.from({ length: amount }, (_, index) => generateCase(index + 1));
export const cases: readonly Case[] = [...generated, longLoop(), largeArtifacts(), textOnly()];
export const shapes: readonly string[] = [...new Set(cases.map(({ shape }) => shape))];

/** How many facts were there, of how many. */
export type Count = [there: number, all: number];

/** Writes what a case needs into a project in which Holdfast is set up, or not. */
export function layOut(project: Project, { files, workflow }: Case, gates: boolean): void {
  trustAll(project);
  project.write(".holdfast/config.yaml", "patience_seconds: 1\n");
  project.write(gateFile, "");
  project.write("rope.txt", "Rope\n");
  for (const [file, text] of Object.entries(files)) project.write(file, text);
  // JSON is YAML.
  if (workflow !== null) {
    project.write(`.holdfast/workflows/${workflow.name}.yaml`, JSON.stringify(gates ? withGates(workflow) : workflow));
  }
}

/** A long text counts when its ends are there, and a file that is named has all of it. */
export function isThere(project: Project, text: string, fact: Fact): boolean {
  if (typeof fact === "string") return text.includes(fact);
  const lines = fact.text.trimEnd().split("\n");
  const has = (some: readonly string[]) => some.every((line) => text.includes(line.trimEnd()));
  if (has(lines)) return true;
  const paths =
    fact.path === null ? [...text.matchAll(/@(\.holdfast\/\S+?\.md)/g)].map(([, path = ""]) => path) : [fact.path];
  const isReadable = (path: string) => text.includes(path) && contentOf(project, path).includes(fact.text.trimEnd());
  return has(lines.slice(0, 2)) && has(lines.slice(-1)) && paths.some(isReadable);
}

function contentOf({ root }: Project, path: string): string {
  const file = join(root, path);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

export function phaseText({ current, total, name }: { current: number; total: number; name: string }): string {
  return `${current}/${total} ${name}`;
}

export async function inParallel<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const next = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: sideBySide }, next));
}

export function addTo(counts: Map<string, Count>, key: string, all: number, lost: number): void {
  const [there, before] = counts.get(key) ?? [0, 0];
  counts.set(key, [there + all - lost, before + all]);
}

export function cell(count: Count | undefined): string {
  return count === undefined ? "-" : `${count[0]}/${count[1]}`;
}

export function print(title: string, rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("   ")
      .trimEnd(),
  );
  process.stdout.write(`\nfacts of facts expected, ${title}\n${lines.map((line) => `  ${line}\n`).join("")}`);
}

export function shown(fact: Fact): string {
  return typeof fact === "string" ? fact : `${fact.path ?? "the instructions"}, ${fact.text.length} characters`;
}
