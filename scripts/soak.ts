import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { startVitest, type TestCase } from "vitest/node";

/**
 * Runs everything that can be repeated at will as often as a release is worth, and prints one table of it. With `--write`
 * the table takes the place of the one in docs/proof.md. Other words choose files, as with vitest.
 */
const words = process.argv.slice(2);
const page = "docs/proof.md";
const [begin, end] = ["<!-- soak -->", "<!-- /soak -->"];

const intro = `# Proof

\`npm run soak\` repeats the tests that kill processes, race them against each other and make up random cases, each time with
new random numbers. This is the last run before a release. A failure prints the seed that repeats it.

${begin}
${end}
`;

const started = Date.now();
const vitest = await startVitest(
  "test",
  words.filter((word) => word !== "--write"),
  { config: "vitest.soak.config.ts", watch: false },
);
const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
const text = tableOf(tests, (Date.now() - started) / 1_000);
await vitest.close();
console.log(`\n${text}`);
if (words.includes("--write")) writePage(text);

function tableOf(all: readonly TestCase[], seconds: number): string {
  const failed = all.filter((test) => test.result().state === "failed").length;
  const commit = git("rev-parse", "--short", "HEAD") + (git("status", "--porcelain") === "" ? "" : " with changes");
  return [
    `Commit ${commit}, ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${availableParallelism()} cores, ` +
      `${Math.round(seconds / 60)} minutes; ${failed} of ${all.length} tests failed.`,
    "",
    "| What | Count | Failures | Seconds |",
    "| --- | ---: | ---: | ---: |",
    ...rowsOf(all).toSorted(),
    "",
  ].join("\n");
}

/** The rows of the table: one for each test, or for all that share one. */
function rowsOf(all: readonly TestCase[]): string[] {
  const rows = new Map<string, Row>();
  for (const test of all) {
    const { count } = test.meta();
    if (count === undefined) continue;
    const name = nameOf(test);
    const failed = test.result().state === "failed" ? 1 : 0;
    const before = rows.get(name) ?? { count: 0, failures: 0, ms: 0 };
    rows.set(name, {
      count: before.count + count,
      failures: before.failures + failed,
      ms: before.ms + (test.diagnostic()?.duration ?? 0),
    });
  }
  return [...rows].map(
    ([name, { count, failures, ms }]) =>
      `| ${name} | ${count.toLocaleString("en")} | ${failures} | ${Math.round(ms / 1_000)} |`,
  );
}

interface Row {
  readonly count: number;
  readonly failures: number;
  readonly ms: number;
}

function nameOf(test: TestCase): string {
  const file = test.module.relativeModuleId.replace(/^test\//, "").replace(/(\.long)?\.test\.ts$/, "");
  const name = test.meta().row ?? test.fullName.replaceAll(" > ", " ");
  return `${file}: ${name.replaceAll("|", "\\|")}`;
}

function writePage(table: string): void {
  const before = existsSync(page) ? readFileSync(page, "utf8") : intro;
  const [top, bottom] = [before.indexOf(begin), before.indexOf(end)];
  if (top < 0 || bottom < top) throw new Error(`${page} has no place for the table: ${begin} and ${end}`);
  writeFileSync(page, `${before.slice(0, top + begin.length)}\n\n${table}\n${before.slice(bottom)}`);
}

function git(...words: readonly string[]): string {
  return execFileSync("git", words, { encoding: "utf8" }).trim();
}
