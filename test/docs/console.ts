import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { recordedIo } from "../cli/recorded-io.ts";
import type { Block } from "./markdown.ts";

/** A person at a terminal, in a project and with a home of their own. */
export interface Console {
  readonly root: string;
  readonly home: string;
  /** Writes a file of the project, or of the home where the path begins with "~/". */
  write(path: string, text: string): void;
  /** Types a line and gives back what it printed; questions are answered as the expected output answers them. */
  type(line: string, expected?: string): Promise<string>;
}

export function openConsole(): Console {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-docs-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [root, home] = [join(base, "project"), join(base, "home")];
  for (const folder of [root, home]) mkdirSync(folder);
  const author = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.org" };
  const committer = { GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@example.org" };
  const env = { PATH: process.env.PATH ?? "", HOME: home, TZ: "UTC", LANG: "C.UTF-8", ...author, ...committer };
  let cwd = root;

  async function holdfast(words: readonly string[], expected: string): Promise<string> {
    let printed = "";
    const print = (text: string) => {
      printed += text;
    };
    const ask = async (question: string) => {
      const answer = answerIn(expected, question);
      print(`${question}${answer}\n`);
      return answer;
    };
    await runCli(words, recordedIo({ cwd, env, isTerminal: true, out: print, err: print, ask }).io);
    return printed;
  }

  return {
    root,
    home,
    write(path, text) {
      const file = path.startsWith("~/") ? join(home, path.slice(2)) : join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    async type(line, expected = "") {
      const [program, ...words] = wordsOf(line);
      if (program === "holdfast" && !/ [|<>] /.test(line)) return holdfast(words, expected);
      if (program === "cd") {
        cwd = resolve(cwd, words[0] ?? "");
        return "";
      }
      const { stdout, stderr, status } = spawnSync("/bin/sh", ["-c", line], { cwd, env, encoding: "utf8" });
      return status === 0 ? `${stdout}${stderr}` : `${stdout}${stderr}(exit code ${status})\n`;
    },
  };
}

function answerIn(expected: string, question: string): string {
  const last = question.slice(question.lastIndexOf("\n") + 1);
  const line = expected.split("\n").find((each) => each.startsWith(last));
  return line?.slice(last.length).trim() ?? "";
}

/** The words of one line, as a shell splits it. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_all, double?: string, single?: string) => double ?? single ?? ""),
  );
}

export interface Typed {
  readonly line: string;
  readonly expected: string;
}

/** What is typed in a block, and what the page says is printed. */
export function typedIn({ text }: Block): Typed[] {
  return [...text.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)].map(([, line = "", expected = ""]) => ({
    line: line.replace(/\s+#.*$/, ""),
    expected: expected.trimEnd(),
  }));
}

/** The expected text when the printed one agrees with it, else the printed one, so that a test shows the difference. */
export function agreed(expected: string, printed: string): string {
  const [wanted, given] = [mask(expected), mask(printed)];
  const pattern = wanted.split("\n").map((line) => (line.trim() === "..." ? "(?:.*\\n)*?" : `${literally(line)}\\n`));
  return new RegExp(`^${pattern.join("")}$`).test(`${given}\n`) ? wanted : given;
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Without what is different each time: ids, hashes, dates and durations. */
export function mask(text: string): string {
  return text
    .replace(/[a-z0-9-]+-\d{8}_\d{6}-[a-z0-9]{4}/g, "<run>")
    .replace(/\b[0-9a-f]{12,64}\b/g, "<hash>")
    .replace(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+Z)?)?/g, "<date>")
    .replace(/ +(\w+) · \d+ (s|min)\b/g, "  $1 · <time>")
    .replace(/[ \t]+$/gm, "")
    .trimEnd();
}
