// Checks the doors between the rooms, and that the checker really read every module:
// with a TypeScript it does not know it reads none, and finds nothing to complain about.
import { readdir } from "node:fs/promises";
import { cruise } from "dependency-cruiser";
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config";
import config from "../.dependency-cruiser.js";

const files = (await readdir("src", { recursive: true })).filter((file) => file.endsWith(".ts"));
const { forbidden, options } = config;
const tsConfig = extractTSConfig("tsconfig.json");
const { output } = await cruise(["src"], { ...options, ruleSet: { forbidden }, validate: true }, {}, { tsConfig });
const read = output.modules.filter((module) => module.source.startsWith("src/"));
const linked = read.filter((module) => module.dependencies.length > 0);

for (const { rule, from, to } of output.summary.violations) console.error(`${rule.name}: ${from} -> ${to}`);
if (read.length !== files.length) console.error(`read ${read.length} modules, but src has ${files.length}`);
if (linked.length < files.length / 2) console.error(`only ${linked.length} modules seem to import anything`);
const bad = output.summary.violations.length > 0 || read.length !== files.length || linked.length < files.length / 2;
if (!bad)
  console.log(`rooms: ${read.length} modules, ${output.summary.totalDependenciesCruised} imports, every door held`);
process.exitCode = bad ? 1 : 0;
