import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { parseCommand } from "../../src/cli/command/parse.ts";
import { commands } from "../../src/cli/commands.ts";
import { faces } from "../../src/cli/help.ts";
import { wordsOf } from "./console.ts";
import { anchorsIn, codeIn, linksIn, type Page, readPage, readPages } from "./markdown.ts";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));

describe.each(readPages().map((page) => [page.file, page] as const))("%s", (_file, page) => {
  it("has links that lead somewhere", () => {
    expect(linksIn(page).filter((target) => !/^https?:/.test(target) && !leadsSomewhere(page, target))).toEqual([]);
  });

  it("names scripts that npm can run", () => {
    const named = [...page.text.matchAll(/npm run ([\w:-]+)/g)].map(([, script = ""]) => script);
    expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
  });

  it("names commands that can be typed", () => {
    const calls = codeIn(page).flatMap((code) => /^(?:\$ )?(holdfast [^#|]*)/.exec(code)?.[1] ?? []);
    expect(calls.map(problemOf).filter((problem) => problem !== null)).toEqual([]);
  });

  it("names files that are there", () => {
    const named = codeIn(page).flatMap(
      (code) => /^((?:src|test|scripts|bench)\/[\w./-]+)$/.exec(code.trim())?.[1] ?? [],
    );
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });
});

it("the README lists every command", () => {
  const [, table = ""] = /\n(\| area \| commands \|\n[\s\S]*?)\n\n/.exec(readPage("README.md").text) ?? [];
  const listed = [...table.matchAll(/`([a-z][a-z-]*)/g)].map(([, name = ""]) => name);
  const names = [...commands, ...faces].map(({ name }) => name.split(" ")[0] ?? "");
  expect(listed.sort()).toEqual([...new Set(names)].sort());
});

it("the index of decisions lists every record once, in order", () => {
  const records = readdirSync("docs/decisions").filter((name) => name !== "README.md");
  expect(linksIn(readPage("docs/decisions/README.md"))).toEqual(records.sort());
});

function leadsSomewhere({ file }: Page, target: string): boolean {
  const [path = "", anchor] = target.split("#");
  const to = path === "" ? file : normalize(join(dirname(file), path));
  if (!existsSync(to)) return false;
  return anchor === undefined || (statSync(to).isFile() && anchorsIn(readPage(to)).includes(anchor));
}

/** What is wrong with a call, or null. */
function problemOf(call: string): string | null {
  const words = wordsOf(call).slice(1);
  if (words[0]?.startsWith("-") || words[0]?.startsWith("<") || faces.some(({ name }) => name === words[0]))
    return null;
  const command = commands.find(({ name }) => name.split(" ").every((word, index) => word === words[index]));
  if (command === undefined) return isFamily(words) ? null : `${call}: there is no such command`;
  const rest = words.slice(command.name.split(" ").length);
  // "holdfast start" in a sentence names the command; with more words it is a call.
  if (rest.length === 0) return null;
  try {
    parseCommand(command, rest);
    return null;
  } catch (error) {
    return `${call}: ${error instanceof Error ? error.message : error}`;
  }
}

/** `holdfast track` names four commands. */
function isFamily(words: readonly string[]): boolean {
  return words.length === 1 && commands.some(({ name }) => name.startsWith(`${words[0]} `));
}
