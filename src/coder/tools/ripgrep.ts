import { execute } from "../../platform/processes.ts";
import type { Match, Search, SearchResult } from "./search.ts";

/** A command line has a limit, which is 128 kB at least. */
const longestList = 60_000;
const mostPrinted = 4_000_000;

/**
 * Searches with ripgrep. It is given the files, so it chooses none itself: neither through links nor by its own
 * configuration.
 */
export async function searchWithRipgrep(search: Search, program: string): Promise<SearchResult> {
  const matches: Match[] = [];
  for (const files of partsOf(search.files)) {
    if (search.signal.aborted || matches.length >= search.most) break;
    const found = await searchPart({ ...search, files, most: search.most - matches.length }, program);
    if (!found.ok) return found;
    matches.push(...found.matches);
  }
  return { ok: true, matches, notes: [] };
}

function* partsOf(files: readonly string[]): Generator<readonly string[]> {
  let part: string[] = [];
  let length = 0;
  for (const file of files) {
    const bytes = Buffer.byteLength(file) + 3;
    if (length + bytes > longestList) {
      yield part;
      [part, length] = [[], 0];
    }
    part.push(file);
    length += bytes;
  }
  if (part.length > 0) yield part;
}

const options = [
  ...["--no-config", "--no-follow", "--no-messages", "--color=never", "--no-heading", "--with-filename", "--null"],
  // One thread keeps the order of the files.
  ...["--line-number", "--threads=1", "--max-columns=400", "--max-columns-preview"],
];

async function searchPart(search: Search, program: string): Promise<SearchResult> {
  const { root, files, pattern, plain, most, signal } = search;
  const enough = new AbortController();
  const chunks: Uint8Array[] = [];
  let [lines, bytes] = [0, 0];
  const given = files.map((file) => `./${file}`);
  const ended = await execute({
    argv: [program, ...options, `--max-count=${most}`, ...(plain ? ["-F"] : []), "-e", pattern, "--", ...given],
    cwd: root,
    env: {},
    timeoutMs: 600_000,
    tailBytes: 2_000,
    signal: AbortSignal.any([signal, enough.signal]),
    onOutput(chunk) {
      if (enough.signal.aborted) return;
      chunks.push(chunk);
      bytes += chunk.length;
      lines += chunk.filter((byte) => byte === newline).length;
      if (lines > most || bytes > mostPrinted) enough.abort();
    },
  });
  if (ended.type === "not-started") return { ok: false, problem: ended.problem };
  const printed = Buffer.concat(chunks).toString("utf8");
  // Two also means that a file could not be read, which is said on a stream that is off.
  const isWrong = ended.type === "exited" && ended.exitCode === 2 && /\berror\b/.test(ended.tail) && lines > 0;
  const matches = matchesIn(printed, new Set(given));
  if (isWrong && matches.length === 0) return { ok: false, problem: wordError(ended.tail) };
  return { ok: true, matches: matches.slice(0, most), notes: [] };
}

const newline = 0x0a;

/** Only lines about files that were asked for; others are notes about binary files. */
function matchesIn(printed: string, given: ReadonlySet<string>): Match[] {
  return printed.split("\n").flatMap((line) => {
    const [, path = "", number = "", text = ""] = /^([^\0]*)\0(\d+):(.*)$/s.exec(line) ?? [];
    return given.has(path) ? [{ path: path.slice(2), line: Number(number), text: text.replace(/\r$/, "") }] : [];
  });
}

function wordError(tail: string): string {
  const last = tail.trim().split("\n").at(-1) ?? "";
  return last.replace(/^error: /, "");
}
