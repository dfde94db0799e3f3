// What the context manager costs and what it saves. Started by run.ts.
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { planCompaction } from "../src/context/compaction/plan.ts";
import { apply, emptyHistory } from "../src/context/conversation/history.ts";
import { createScale } from "../src/context/conversation/scale.ts";
import { type Context, createContext, type ModelMessage } from "../src/context/index.ts";
import { type Aim, median, report } from "./report.ts";

// Cheap, so that the measure is of this code and not of a tokenizer.
const cheap = (text: string) => text.length / 4;
const prose = "The handler reads the row, checks its version and writes it back; const next = row.version + 1;\n";

const aims = [measureAppend(), measurePlan(), await measureSession(), ...(await measureBundle())];
process.exitCode = report(aims) ? 0 : 1;

/** One message at the end of a conversation of 10 and of 10,000, side by side. */
function measureAppend(): Aim {
  const filled = (size: number) => {
    const context = createContext({ countTokens: cheap, limits: { window: 1_000_000 } });
    for (let n = 0; n < size; n++) context.append("user", `${n} ${prose}`);
    context.tokens();
    return context;
  };
  const time = (context: Context) =>
    timed(() => {
      for (let n = 0; n < 20; n++) {
        context.append("user", `${n} ${prose}`);
        context.tokens();
      }
    }) / 20;
  for (let n = 0; n < 300; n++) time(filled(10));
  const large = filled(10_000);
  const rounds = Array.from({ length: 301 }, () => ({ small: time(filled(10)), large: time(large) }));
  const of = (side: "small" | "large") => median(rounds.map((round) => round[side]));
  return {
    name: "appending one message and asking for the total: 10,000 messages against 10",
    rows: [
      ["messages", "time", "ratio"],
      ["10", micros(of("small")), "1.00"],
      ["10,000", micros(of("large")), (of("large") / of("small")).toFixed(2)],
    ],
    value: of("large") / of("small"),
    most: 1.5,
  };
}

/** A million tokens of calls and results, against one pass over their characters. */
function measurePlan(): Aim {
  const history = emptyHistory();
  const scale = createScale(cheap);
  const messages = toolTurns(1_000, 4_000);
  for (const message of messages) apply(history, { type: "message-appended", message });
  const options = { scale, pins: new Set<string>(), tools: 0 };
  const plan = () => planCompaction(history, options, { most: 200_000, goal: 140_000 });
  const texts = messages.map((message) => JSON.stringify(message));
  const pass = () => texts.reduce((sum, text) => sum + sumOf(text), 0);
  for (let n = 0; n < 5; n++) [plan(), pass()].at(0);
  const rounds = Array.from({ length: 15 }, () => ({ plan: timed(plan), pass: timed(pass) }));
  const of = (side: "plan" | "pass") => median(rounds.map((round) => round[side]));
  return {
    name: `planning the compaction of ${Math.round(scale.list(history.items) / 1_000).toLocaleString("en")} thousand tokens`,
    rows: [
      ["work", "time", "ratio"],
      ["one pass over the characters", micros(of("pass")), "1.00"],
      ["planning the compaction", micros(of("plan")), (of("plan") / of("pass")).toFixed(2)],
    ],
    value: of("plan") / of("pass"),
    most: 5,
  };
}

/** The tokens of all requests of a session of 200 turns, by a real tokenizer. */
async function measureSession(): Promise<Aim> {
  const limits = { window: 32_000, reserve: 4_000 };
  const context = createContext({ countTokens, limits });
  context.resetSystemPrompt("You are a coder. Read, change, test.");
  const all: ModelMessage[] = [];
  const scale = createScale(countTokens);
  let total = 0;
  const sent = { all: 0, ours: 0, compactions: 0 };
  for (const [n, message] of toolTurns(200, 3_000).entries()) {
    context.append(message.role, message.content);
    all.push(message);
    total += scale.message(message);
    if (n % 2 !== 0) continue;
    const { status } = await context.compact();
    if (status === "compacted") sent.compactions++;
    sent.all += total;
    sent.ours += context.tokens();
  }
  const value = sent.ours / sent.all;
  const thousands = (tokens: number) => `${Math.round(tokens / 1_000)}k`;
  return {
    name: "tokens sent over a session of 200 turns (window of 32,000)",
    rows: [
      ["session", "tokens", "ratio", "compactions"],
      ["everything, each time", thousands(sent.all), "1.00", "0"],
      ["staged compaction", thousands(sent.ours), value.toFixed(2), String(sent.compactions)],
    ],
    value,
    most: 0.5,
  };
}

/** What a page has to load, minified, without a tokenizer. */
async function measureBundle(): Promise<Aim[]> {
  // esbuild cannot be bundled into a bench; it is taken from where the bench is started.
  const { build }: typeof import("esbuild") = createRequire(resolve("package.json"))("esbuild");
  const sizeOf = async (...entries: readonly string[]) => {
    const contents = entries.map((entry) => `export * from "./src/context/${entry}.ts";`).join("\n");
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: resolve(".") },
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
      platform: "browser",
    });
    const bytes = outputFiles[0]?.contents ?? new Uint8Array();
    return { bytes: bytes.length, zipped: gzipSync(bytes).length };
  };
  const own = await sizeOf("index");
  const every = await sizeOf("index", "adapters/index");
  const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(1)} KB`;
  return [
    {
      name: "size of holdfast/context in a browser, minified (KB)",
      rows: [
        ["what", "minified", "gzip"],
        ["holdfast/context", kilobytes(own.bytes), kilobytes(own.zipped)],
        ["with holdfast/context/adapters", kilobytes(every.bytes), kilobytes(every.zipped)],
      ],
      value: own.bytes / 1_000,
      most: 40,
    },
  ];
}

/** A task, then turns of one call and its result of `size` characters. */
function toolTurns(turns: number, size: number): ModelMessage[] {
  const text = prose.repeat(Math.ceil(size / prose.length)).slice(0, size);
  const pairs = Array.from({ length: turns }, (_, n): ModelMessage[] => {
    const call = { toolCallId: `c${n}`, toolName: "read_file" };
    return [
      { role: "assistant", content: [{ type: "tool-call", ...call, input: { path: `src/${n}.ts` } }] },
      { role: "tool", content: [{ type: "tool-result", ...call, output: { type: "text", value: `${n} ${text}` } }] },
    ];
  });
  return [{ role: "user", content: "Make the change." }, ...pairs.flat()];
}

function sumOf(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = (sum + text.charCodeAt(at)) | 0;
  return sum;
}

function timed(act: () => unknown): number {
  const start = process.hrtime.bigint();
  act();
  return Number(process.hrtime.bigint() - start) / 1_000;
}

function micros(value: number): string {
  return value < 1_000 ? `${value.toFixed(2)} µs` : `${(value / 1_000).toFixed(1)} ms`;
}
