import { dirname, join, relative, sep } from "node:path";
import { resolveInside } from "../platform/links.ts";
import { linesOf } from "./workflow-text.ts";

/** What one reads, as opposed to the code that a plan is about. */
const document = /\.(?:md|mdx|markdown|txt|rst|adoc)$/i;
const link = /\]\(<?([^)\s>]+)/g;
const code = /`([^`\s]+)`/g;
const prose = /(?<![\p{L}\p{N}_@./\\:-])((?:[\p{L}\p{N}_.-]+\/)*[\p{L}\p{N}_.-]+\.\p{L}{2,8})(?![\p{L}\p{N}_/-])/gu;
const mostMentions = 30;
/** Looking for a file takes far longer than finding its name in a text. */
const mostLookedFor = 300;

/** The documents of the project that a plan mentions in prose, in backticks or as links, in order and once each. */
export function mentionedFiles(root: string, plan: string, text: string): string[] {
  const folders = [root, dirname(join(root, plan))];
  const names = [...new Set(proseOf(text).flatMap(mentionsIn))].slice(0, mostLookedFor);
  const found = names.flatMap((name) => pathOf(root, folders, name) ?? []);
  return [...new Set(found)].filter((path) => path !== plan).slice(0, mostMentions);
}

/** Without code blocks: the files in them are listings and examples. */
function proseOf(text: string): string[] {
  let isCode = false;
  return linesOf(text).filter((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) {
      isCode = !isCode;
      return false;
    }
    return !isCode;
  });
}

function mentionsIn(line: string): string[] {
  const found = [link, code, prose].flatMap((pattern) => [...line.matchAll(pattern)]);
  return found
    .sort((a, b) => a.index - b.index)
    .map(([, name = ""]) =>
      name
        .replace(/#.*$/, "")
        .replace(/^\.\//, "")
        .replace(/[.,;:!?]+$/, ""),
    )
    .filter((name) => document.test(name) && !/^[a-z][a-z0-9+.-]*:/i.test(name) && !name.startsWith("@"));
}

/** The path from the project's root; null if no such file is in the project. */
function pathOf(root: string, folders: readonly string[], name: string): string | null {
  for (const folder of folders) {
    const there = name.startsWith("/") ? null : resolveInside(root, join(folder, name));
    if (there?.exists) return relative(root, join(folder, name)).split(sep).join("/");
  }
  return null;
}
