import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it, test } from "vitest";
import { openConsole } from "./console.ts";
import { entryPoints } from "./entry-points.ts";
import { type Block, readPages } from "./markdown.ts";
import { typeProblems } from "./typescript.ts";

const pages = readPages();
const examples = pages.flatMap(({ blocks }) => blocks.filter(({ language }) => language === "ts"));

it("every example in TypeScript compiles", () => {
  const texts = new Map(examples.map(({ at, text }) => [`${at.replaceAll(/\W/g, "-")}.ts`, text]));
  expect(typeProblems(texts)).toEqual([]);
});

test.each(examples.filter(({ text }) => printedBy(text).length > 0).map((block) => [block.at, block] as const))(
  "%s prints what its comments say",
  async (_at, block) => {
    const { root, write } = openConsole();
    for (const { path, text } of filesOf(block)) write(path, text);
    await build({
      stdin: { contents: block.text, resolveDir: ".", loader: "ts" },
      alias: { ...entryPoints },
      bundle: true,
      platform: "node",
      format: "esm",
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
      outfile: join(root, "example.mjs"),
      logLevel: "error",
    });
    const printed = execFileSync(process.execPath, ["example.mjs"], { cwd: root, encoding: "utf8" });
    expect(printed.trimEnd().split("\n")).toEqual(printedBy(block.text));
  },
);

/** `console.log(value); // what it prints`, in the order they stand. */
function printedBy(text: string): string[] {
  return [...text.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, printed = ""]) => printed);
}

/** The files that the example's own page names. */
function filesOf(block: Block): { path: string; text: string }[] {
  const page = pages.find(({ blocks }) => blocks.includes(block));
  return (page?.blocks ?? []).flatMap(({ path, text }) => (path === null ? [] : [{ path, text }]));
}
