import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A fenced block of a page, with what the page says about it. */
export interface Block {
  /** Where it begins, as an editor opens it. */
  readonly at: string;
  readonly language: string;
  readonly text: string;
  /** The file it belongs in, where the line above names one: "`path/to/file.yaml`:". */
  readonly path: string | null;
  /** Shell lines to run before it, from the comment "before:" above it. */
  readonly before: readonly string[];
  /** Why it cannot be run, from the comment "not run:" above it. */
  readonly notRun: string | null;
}

export interface Page {
  readonly file: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** Every page that people read. docs/errors.md is written from the code and has no examples. */
export function readPages(): Page[] {
  const top = ["README.md", "AGENTS.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
  return [...top, ...pagesIn("docs"), ...pagesIn("docs/decisions")].map(readPage);
}

function pagesIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".md"));
  return names.sort().map((name) => join(folder, name));
}

export function readPage(file: string): Page {
  const text = readFileSync(file, "utf8");
  const blocks = [...text.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm)].map((match): Block => {
    const [, language = "", body = ""] = match;
    const above = text.slice(0, match.index);
    const line = above.split("\n").length;
    return { at: `${file}:${line}`, language, text: body, ...notesIn(lastParagraph(above)) };
  });
  return { file, text, blocks };
}

/** What stands between the block before and this one, from the last heading or paragraph on. */
function lastParagraph(above: string): string {
  const comments = /(?:<!--(?:(?!-->)[\s\S])*-->\s*)*$/.exec(above)?.[0] ?? "";
  const rest = above.slice(0, above.length - comments.length).trimEnd();
  return `${rest.slice(rest.lastIndexOf("\n") + 1)}\n${comments}`;
}

function notesIn(paragraph: string): Pick<Block, "path" | "before" | "notRun"> {
  const before = /<!-- before:\n([\s\S]*?)-->/.exec(paragraph)?.[1] ?? "";
  return {
    path: /^`([^`\s]+)`:$/m.exec(paragraph)?.[1] ?? null,
    before: before.split("\n").filter((line) => line.trim() !== ""),
    notRun: /<!-- not run: (.*?) -->/.exec(paragraph)?.[1] ?? null,
  };
}

/** What a page has in code, without its fences: each span between backticks and each line of a block. */
export function codeIn({ text, blocks }: Page): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
  const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span.replace(/\s+/g, " "));
  return [...spans, ...blocks.flatMap((block) => block.text.split("\n"))];
}

/** The targets of the links of a page, in the order they stand. */
export function linksIn({ text }: Page): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`]+`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
}

/** The anchors that GitHub gives the headings of a page. */
export function anchorsIn({ text }: Page): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
