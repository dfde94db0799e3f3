// What one story sends to a model: as it is, as it was before conversations were cleared, and with everything kept. Started by run.ts.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { anthropicBlocks } from "../test/coder/model/anthropic/read.ts";
import { type Fields, list } from "../test/coder/model/json.ts";
import { repeatedBytes } from "../test/coder/model/repeated-bytes.ts";
import type { ModelRequest } from "../test/coder/model/request.ts";
import { serveScriptedModel } from "../test/coder/model/serve.ts";
import { story, tellStory } from "./coder-story.ts";
import { type Aim, report } from "./report.ts";

const [, , program = ""] = process.argv;
/** A token from the cache costs a tenth with most providers. */
const cachedPrice = 0.1;
const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-coder-"));
try {
  const coder = readFileSync("workflows/coder.yaml", "utf8");
  const kept = coder.replace(/^transitions:\n(?: .*\n)+/m, "");
  if (kept === coder) throw new Error("the workflow coder has no transitions");
  const cleared = await tell("cleared", coder, true);
  const everything = await tell("kept", kept, true);
  const before = sizesOf(everything.map(withContextTwice));
  const all = sizesOf(everything);
  const remembering = await tell("remembering", kept, false);
  const notAgain = sizesOf(remembering);
  const fixed = sizesOf(withFixedPrompt(remembering));
  const [ours, oursFixed] = [sizesOf(cleared), sizesOf(withFixedPrompt(cleared))];
  process.exitCode = report([aimOf({ ours, oursFixed, before, all, notAgain, fixed })]) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The bodies of all requests of the story, told by the program itself. */
async function tell(name: string, workflow: string, isForgetful: boolean): Promise<Fields[]> {
  const model = await serveScriptedModel({ wire: "anthropic", answer: tellStory(isForgetful) });
  try {
    const { code, said } = await runProgram(makeProject(name, workflow), model.baseUrl);
    if (code !== 0 || model.violations.length > 0) throw new Error([said, ...model.violations].join("\n"));
    return model.requests.map(({ body }: ModelRequest) => body);
  } finally {
    model.close();
  }
}

/** A repository with the context manager's own source. */
function makeProject(name: string, workflow: string): string {
  const project = join(folder, name);
  mkdirSync(join(project, ".holdfast/workflows"), { recursive: true });
  writeFileSync(join(project, ".holdfast/workflows/story.yaml"), workflow.replace(/^name: coder$/m, "name: story"));
  cpSync(resolve("src/context"), join(project, "src"), { recursive: true });
  writeFileSync(join(project, "README.md"), "# A context manager\nRun the tests with `node --test`.\n");
  writeFileSync(join(project, "package.json"), '{ "name": "context", "type": "module" }\n');
  writeFileSync(join(project, ".gitignore"), ".holdfast/runs\n");
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=Mara", "-c", "user.email=mara@example.org", ...words], { cwd: project });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "Begin");
  return project;
}

async function runProgram(project: string, baseUrl: string): Promise<{ code: number | null; said: string }> {
  const home = join(folder, "home");
  const words = ["run", "story", story, "--agent", "model:anthropic/claude-scripted", "--yes", "--no-wait"];
  const env = {
    ...{ PATH: process.env.PATH ?? "", HOME: home, XDG_CONFIG_HOME: join(home, ".config") },
    ...{ ANTHROPIC_API_KEY: "scripted", ANTHROPIC_BASE_URL: baseUrl },
  };
  const child = spawn(process.execPath, [program, ...words], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  return new Promise((done) => child.once("close", (code) => done({ code, said })));
}

/** As it was: a template with the whole conversation as text in it, then the same conversation as messages. */
function withContextTwice({ system, messages, ...rest }: Fields): Fields {
  const context = list(messages).map((message) => textOf(message as Fields));
  const blocks = list(system) as readonly { readonly text: string }[];
  const text = [...blocks.map((block) => block.text), "# The conversation", ...context].join("\n");
  return { ...rest, system: [{ type: "text", text }], messages };
}

/** One line for each part, without the JSON around it. */
function textOf({ role, content }: Fields): string {
  if (typeof content === "string") return `${role}: ${content}`;
  const parts = list(content) as readonly {
    readonly text?: string;
    readonly content?: unknown;
    readonly input?: object;
  }[];
  return parts
    .map(({ text, content: result, input }) => `${role}: ${text ?? result ?? JSON.stringify(input)}`)
    .join("\n");
}

/** The best that a cache can have: the system prompt stays as it is, and the instructions of a step come as a message. */
function withFixedPrompt(bodies: readonly Fields[]): Fields[] {
  let instructions: string[] = [];
  let length = 0;
  return bodies.map(({ system, messages, ...rest }) => {
    // A conversation that was cleared begins anew.
    if (list(messages).length < length) instructions = [];
    length = list(messages).length;
    const whole = (list(system) as readonly { readonly text: string }[]).map(({ text }) => text).join("\n");
    const at = whole.indexOf("# The step ");
    let visit = 0;
    const filled = JSON.stringify(messages).replaceAll(/The step [A-Z_]+ begins\./g, (begin) => {
      instructions[visit] ??= JSON.stringify(`${begin}\n${whole.slice(at)}`).slice(1, -1);
      return instructions[visit++] ?? begin;
    });
    return { ...rest, system: [{ type: "text", text: whole.slice(0, at) }], messages: JSON.parse(filled) };
  });
}

interface Sizes {
  readonly requests: number;
  readonly tokens: number;
  /** What is the same, from the first byte on, as in the request before. */
  readonly cached: number;
  readonly largest: number;
}

/** In tokens of one tokenizer, and a text that comes again is counted once. */
function sizesOf(bodies: readonly Fields[]): Sizes {
  const known = new Map<string, number>();
  const count = (text: string) => {
    const tokens = known.get(text) ?? countTokens(text);
    known.set(text, tokens);
    return tokens;
  };
  const repeated = repeatedBytes();
  const sent = bodies.map((body) => {
    const blocks = anthropicBlocks(body);
    const tokens = blocks.reduce((sum, { bytes }) => sum + count(bytes), 0);
    const { same, total } = repeated.next(blocks);
    return { tokens, cached: tokens * (same / total) };
  });
  const sum = (field: "tokens" | "cached") => sent.reduce((all, one) => all + one[field], 0);
  return {
    requests: bodies.length,
    tokens: sum("tokens"),
    cached: sum("cached"),
    largest: Math.max(...sent.map(({ tokens }) => tokens)),
  };
}

function paid({ tokens, cached }: Sizes): number {
  return tokens - cached + cached * cachedPrice;
}

type Ways = Readonly<Record<"ours" | "oursFixed" | "before" | "all" | "notAgain" | "fixed", Sizes>>;

function aimOf({ ours, oursFixed, before, all, notAgain, fixed }: Ways): Aim {
  const thousands = (tokens: number) => `${(tokens / 1_000).toFixed(1)}k`;
  const row = (name: string, sizes: Sizes) => [
    ...[name, String(sizes.requests), thousands(sizes.largest), thousands(sizes.tokens)],
    ...[(sizes.tokens / before.tokens).toFixed(2), `${((100 * sizes.cached) / sizes.tokens).toFixed(0)} %`],
    ...[thousands(sizes.tokens - sizes.cached), thousands(paid(sizes)), (paid(sizes) / paid(before)).toFixed(2)],
  ];
  return {
    name: "input tokens of one story: as it is, against what was sent before the redesign",
    rows: [
      ["", "requests", "largest", "tokens", "ratio", "cached", "not cached", "at a tenth for cached", "ratio"],
      row("before the redesign", before),
      row("everything kept, read again", all),
      row("everything kept, not read again", notAgain),
      row("the same with a fixed system prompt", fixed),
      row("as it is", ours),
      row("as it is, but with a fixed system prompt", oursFixed),
    ],
    value: ours.tokens / before.tokens,
    most: 0.5,
  };
}
