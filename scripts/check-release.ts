// Checks that a tag may be published: tag, package, plugin and changelog name the same version, and npm can prove where
// the package was built. Called as: tsx scripts/check-release.ts v1.2.3

import { readFileSync } from "node:fs";

const [tag] = process.argv.slice(2);
const { version, repository } = JSON.parse(readFileSync("package.json", "utf8"));
const plugin = JSON.parse(readFileSync("plugin/.claude-plugin/plugin.json", "utf8"));
const headings = readFileSync("CHANGELOG.md", "utf8").match(/^## .*$/gm) ?? [];

const problems = [
  ...(tag === `v${version}` ? [] : [`the tag is ${tag}, but package.json has version ${version}`]),
  ...(plugin.version === version ? [] : [`the plugin has version ${plugin.version}: run npm run docs`]),
  ...(headings[0]?.split(" ")[1] === version ? [] : [`CHANGELOG.md does not begin with "## ${version}"`]),
  ...(repository === undefined ? ["package.json has no repository, which npm publish --provenance needs"] : []),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
