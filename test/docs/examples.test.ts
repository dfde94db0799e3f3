import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import { readUserSettings } from "../../src/app/workflows/user-settings.ts";
import { readSettings } from "../../src/project/read-settings.ts";
import { loadTemplate } from "../../src/templates/load.ts";
import { problemText } from "../../src/templates/problem.ts";
import { agreed, mask, openConsole, typedIn } from "./console.ts";
import { type Block, readPages } from "./markdown.ts";

// A page is worked through from top to bottom in one project: the files that it names are written, the lines behind "$"
// are typed, and what they print is compared with what the page shows ("..." stands for any lines).

const pages = readPages();

describe.each(pages.filter(({ blocks }) => blocks.some(isConsole)).map((page) => [page.file, page] as const))(
  "%s",
  (_file, { blocks }) => {
    it("prints what it says", async () => {
      const terminal = openConsole();
      for (const block of blocks) {
        if (block.path !== null) terminal.write(block.path, block.text);
        for (const line of block.before) expect(`${line}\n${await terminal.type(line)}`).toBe(`${line}\n`);
        if (!isConsole(block)) continue;
        for (const { line, expected } of typedIn(block)) {
          const printed = agreed(expected, await terminal.type(line, expected));
          expect(`${block.at}\n$ ${line}\n${printed}`).toBe(`${block.at}\n$ ${line}\n${mask(expected)}`);
        }
      }
    });
  },
);

function isConsole({ language, notRun }: Block): boolean {
  return language === "console" && notRun === null;
}

const blocks = pages.flatMap((page) => page.blocks);

it("every block that shows a prompt is one that is run", () => {
  const others = blocks.filter(({ language, text }) => language !== "console" && /^\$ /m.test(text));
  expect(others.map(({ at }) => at)).toEqual([]);
});

it("few blocks are not run", () => {
  expect(blocks.filter(({ notRun }) => notRun !== null).length).toBeLessThanOrEqual(4);
});

const yaml = blocks.filter(({ language }) => language === "yaml").map((block) => [block.at, block] as const);

test.each(yaml.filter(([, { text }]) => "steps" in parse(text)))(
  "%s is a workflow without problems",
  (_at, { text }) => {
    const reading = loadTemplate(text);
    expect((reading.ok ? reading.warnings : reading.problems).map(problemText)).toEqual([]);
  },
);

test.each(yaml.filter(([, { path }]) => path === ".holdfast/config.yaml"))(
  "%s is read as settings",
  (_at, { text }) => {
    const { root, write } = openConsole();
    write(".holdfast/config.yaml", text);
    expect(readSettings(root)).toMatchObject({ ok: true });
  },
);

const own = "~/.config/holdfast/config.yaml";

test.each(yaml.filter(([, { path }]) => path === own))(
  "%s is read as a person's own settings",
  async (_at, { text }) => {
    const { home, write } = openConsole();
    write(own, text);
    const user = { name: "ada", home, configFolder: join(home, ".config/holdfast") };
    expect(await readUserSettings(user)).toEqual(parse(text));
  },
);
