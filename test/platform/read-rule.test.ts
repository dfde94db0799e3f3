import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const ways = [
  'import { readFileSync } from "node:fs";\nexport const way = readFileSync;\n',
  'import { openSync as way } from "node:fs";\nexport const other = way;\n',
  'import { createReadStream } from "node:fs";\nexport const way = createReadStream;\n',
  'import { promises } from "node:fs";\nexport const way = promises;\n',
  'import * as way from "node:fs";\nexport const other = way;\n',
  'import way from "node:fs";\nexport const other = way;\n',
  'import { readFile } from "node:fs/promises";\nexport const way = readFile;\n',
  'import { open } from "node:fs/promises";\nexport const way = open;\n',
  'import { existsSync } from "fs";\nexport const way = existsSync;\n',
  'export const way = await import("node:fs");\n',
];
const harmless = 'import { existsSync, lstatSync } from "node:fs";\nexport const way = [existsSync, lstatSync];\n';

it("only src/platform may read or open files by itself", () => {
  expect(complaints("src/app/runs", [...ways, harmless])).toEqual(ways.map((_, index) => index));
  expect(complaints("src/platform", [...ways, harmless])).toEqual([]);
});

/** Which of some texts the linter rejects as files of a folder, by the rules of this project. */
function complaints(folder: string, texts: readonly string[]): number[] {
  const project = mkdtempSync(join(tmpdir(), "holdfast-lint-"));
  copyFileSync("biome.json", join(project, "biome.json"));
  mkdirSync(join(project, folder), { recursive: true });
  for (const [index, text] of texts.entries()) writeFileSync(join(project, folder, `probe-${index}.ts`), text);
  const words = [resolve("node_modules/@biomejs/biome/bin/biome"), "lint", "--only=style/noRestrictedImports", "."];
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: project, encoding: "utf8" });
  const found = (stdout + stderr).matchAll(/probe-(\d+)\.ts:\d+:\d+ lint\/style\/noRestrictedImports/g);
  return [...new Set([...found].map(([, index]) => Number(index)))].sort((a, b) => a - b);
}

it("nothing gets the module of files by a way that the linter does not see", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const hidden = /getBuiltinModule\(\s*["'](?:node:)?fs|require\(\s*["'](?:node:)?fs/;
  const found = files.filter((name) => hidden.test(readFileSync(join("src", name), "utf8")));
  // The texts of the shims, which are programs of their own.
  expect(found).toEqual([join("hosts", "shims", "shims.ts")]);
});
