// Checks the house: the doors between folders, that no two folders import each other, and that no folder is a warehouse.
// It also asserts that the checker really read every module: with a TypeScript it does not know it reads none, and
// finds nothing to complain about.
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { cruise } from "dependency-cruiser";
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config";
import config, { doors } from "../.dependency-cruiser.js";

const mostFiles = 30;

const files = (await readdir("src", { recursive: true })).filter((file) => /\.tsx?$/.test(file));
const { forbidden, options } = config;
const tsConfig = extractTSConfig("tsconfig.json");
const { output } = await cruise(["src"], { ...options, ruleSet: { forbidden }, validate: true }, {}, { tsConfig });
const modules = output.modules.filter((module) => module.source.startsWith("src/"));

const problems = [
  ...output.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
  ...unread(),
  ...mutualImports(),
  ...fullFolders(),
  ...unusedDoors(),
];
for (const problem of problems) console.error(problem);
if (problems.length === 0) {
  console.log(`rooms: ${modules.length} modules, ${output.summary.totalDependenciesCruised} imports, every door held`);
}
process.exitCode = problems.length > 0 ? 1 : 0;

function unread() {
  const linked = modules.filter((module) => module.dependencies.length > 0);
  if (modules.length !== files.length) return [`read ${modules.length} modules, but src has ${files.length}`];
  return linked.length < files.length / 2 ? [`only ${linked.length} modules seem to import anything`] : [];
}

function mutualImports() {
  const arrows = new Map();
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) {
      const [from, to] = [dirname(source), dirname(resolved)];
      if (from !== to && resolved.startsWith("src/")) arrows.set(`${from} ${to}`, `${source} -> ${resolved}`);
    }
  }
  return [...arrows].flatMap(([pair, example]) => {
    const [from, to] = pair.split(" ");
    const back = arrows.get(`${to} ${from}`);
    return from < to && back !== undefined ? [`${from} and ${to} import each other: ${example}, ${back}`] : [];
  });
}

function fullFolders() {
  const counts = new Map();
  for (const { source } of modules) counts.set(dirname(source), (counts.get(dirname(source)) ?? 0) + 1);
  return [...counts].flatMap(([folder, count]) =>
    count > mostFiles ? [`${folder} has ${count} files; ${mostFiles} is the most`] : [],
  );
}

function unusedDoors() {
  const folders = new Set(modules.map(({ source }) => dirname(source).replace(/^src\//, "")));
  return Object.keys(doors).flatMap((name) =>
    folders.has(name) || name === "errors" ? [] : [`the door of ${name} leads nowhere: there is no such folder`],
  );
}
