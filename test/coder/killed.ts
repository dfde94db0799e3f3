import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { type Ended, ended } from "../cli/program.ts";
import { type CodedProject, createCoded, occurrences, stepOf, story } from "./coded.ts";
import type { ModelAnswer } from "./model/answer.ts";
import type { Message, ModelRequest } from "./model/request.ts";

/** A story in which every state has tools with an effect; `TESTING` has a gate with one, too. */
const workflow = `name: story
description: The coder with a gate
extends: coder
change:
  - { step: CODING, set: { budget: { turns: 3, pivot_to: PLANNING } } }
  - { step: TESTING, set: { gate: [{ run: [sh, -c, "echo gate >> gates.log; touch gate; while [ -f hold-gate ]; do sleep 0.02; done"] }] } }
`;

export const states = ["PLANNING", "PLAN_REVIEW", "CODING", "TESTING", "CODE_REVIEW"] as const;
export type State = (typeof states)[number];

/** The words of the reply that ends each of them. */
export const lastWords: Readonly<Record<State, string>> = {
  PLANNING: "THE PLAN",
  PLAN_REVIEW: "A good plan.",
  CODING: "It is written.",
  TESTING: "It works.",
  CODE_REVIEW: "Merge it.",
};

const question = "Which greeting do people get?";
const call = (name: string, input: Record<string, unknown>): ModelAnswer => ({ calls: [{ name, input }] });
const ends: Readonly<Record<State, ModelAnswer>> = {
  PLANNING: call("submit_plan", { plan: lastWords.PLANNING }),
  PLAN_REVIEW: call("done", { output: lastWords.PLAN_REVIEW, outcome: "approved" }),
  CODING: call("done", { output: lastWords.CODING }),
  TESTING: call("done", { output: lastWords.TESTING, outcome: "passed" }),
  CODE_REVIEW: call("done", { output: lastWords.CODE_REVIEW, outcome: "approved" }),
};

/** Leaves a line, says that it runs, and goes on when nothing holds it. */
const effectProgram = `import { appendFileSync, existsSync, writeFileSync } from "node:fs";
const [, , state] = process.argv;
appendFileSync("effects.log", state + "\\n");
writeFileSync("running-" + state, "");
while (existsSync("hold-" + state)) await new Promise((resolve) => setTimeout(resolve, 20));
console.log("over");
`;

function effect(state: State): ModelAnswer {
  return call("shell", { command: `node effect.js ${state}` });
}

const script: Readonly<Record<State, readonly ModelAnswer[]>> = {
  PLANNING: [effect("PLANNING"), call("ask_question", { question }), ends.PLANNING],
  PLAN_REVIEW: [effect("PLAN_REVIEW"), ends.PLAN_REVIEW],
  CODING: [effect("CODING"), call("write", { path: "made.txt", content: "made\n" }), call("list", {}), ends.CODING],
  TESTING: [effect("TESTING"), ends.TESTING],
  CODE_REVIEW: [effect("CODE_REVIEW"), ends.CODE_REVIEW],
};

/** The reply of a visit that is asked for. */
export interface Moment {
  readonly state: State;
  readonly index: number;
}

/** What the model says next depends on nothing but the conversation: a request that comes again is answered the same. */
function saidNext({ messages, ...request }: ModelRequest): Moment & { answer: ModelAnswer } {
  const state = stepOf({ messages, ...request }) as State;
  const begin = messages.findLastIndex(({ text }) => text.includes(`The step ${state} begins.`));
  const index = messages.slice(begin).filter(({ role }) => role === "assistant").length;
  const answer = script[state]?.[index];
  if (begin === -1 || answer === undefined) throw new Error(`${state} ${index}: ${JSON.stringify(messages)}`);
  return { state, index, answer };
}

export interface KilledStory {
  readonly project: CodedProject;
  /** Begins or resumes the run in a process of its own. */
  begin(env?: Readonly<Record<string, string>>): Runner;
  /** Goes on, and does what is asked of a person, until the run has ended. */
  goOn(begun?: (runner: Runner) => void, env?: () => Readonly<Record<string, string>>): Promise<void>;
}

export interface Runner {
  kill(): void;
  /** What Ctrl-C does. */
  interrupt(): void;
  readonly end: Promise<Ended>;
}

/** `onRequest` may act at a moment of the story, or answer otherwise than the script. */
export async function createKilledStory(onRequest: (moment: Moment) => ModelAnswer | null = () => null) {
  const project = await createCoded({
    workflow,
    answer: (request) => {
      const { state, index, answer } = saidNext(request);
      return onRequest({ state, index }) ?? answer;
    },
  });
  project.write("effect.js", effectProgram);
  const runs = join(project.root, ".holdfast/runs");
  const isBegun = () => existsSync(runs) && existsSync(join(project.runFolder(), "journal.jsonl"));
  const isComplete = () => isBegun() && project.journal().includes('"run-completed"');
  const begin = (env: Readonly<Record<string, string>> = {}): Runner => {
    const words = isBegun() ? ["--resume", basename(project.runFolder())] : ["story", story];
    const child = project.begin(["run", ...words, "--agent", project.agent, "--yes"], {
      env: { ...project.settings, ...env },
    });
    child.stdin.end();
    const [kill, interrupt] = [() => void child.kill("SIGKILL"), () => void child.kill("SIGINT")];
    return { kill, interrupt, end: ended(child) };
  };
  const killed: KilledStory = {
    project,
    begin,
    async goOn(begun = () => {}, env = () => ({})) {
      for (let round = 0; round < 60; round++) {
        const runner = begin(env());
        begun(runner);
        const { code, stdout, stderr } = await runner.end;
        // It may be killed between the end of the run and its own.
        if (code === null && isComplete()) return;
        expect([0, 4, 130, null], `${stdout}${stderr}`).toContain(code);
        expect(stdout + stderr).not.toContain("    at ");
        if (code === 0) return;
        if (isBegun()) await helpAsPerson(project);
      }
      throw new Error(`The run does not end: ${project.root}`);
    },
  };
  return killed;
}

/** How often a request has the same conversation as the one before it. */
export function repeated({ project }: KilledStory): number {
  const sent = project.model.requests.map(({ messages }) => messages.flatMap(({ calls }) => calls.map(({ id }) => id)));
  return sent.filter((ids, at) => ids.length > 0 && ids.join() === sent[at - 1]?.join()).length;
}

/** What a conversation's file holds without a line that was cut off. */
export function wholeLines({ project }: KilledStory): string {
  if (!existsSync(join(project.root, ".holdfast/runs"))) return "";
  const file = join(project.runFolder(), "coder.jsonl");
  return existsSync(file) ? readFileSync(file, "utf8").replace(/[^\n]*$/, "") : "";
}

/** Answers a question and continues after a spent budget; nothing if neither is open. */
async function helpAsPerson(project: CodedProject): Promise<void> {
  const answered = await project.person("answer", "Hello and the name");
  if (answered.code !== 0) await project.person("decide", "continue");
}

/** A write below a run's folder: the `at`th of those with a text. */
export interface Write {
  readonly at: number;
  readonly when: "before" | "half" | "after";
  readonly text?: string;
}

/** A program that ends itself with SIGKILL before, in the middle of or after a write. */
export function killedAtWrite(project: CodedProject, { at, when, text = "" }: Write) {
  const file = project.write(
    "../home/kill-at-write.mjs",
    `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const paths = new Map();
const { openSync, writeSync, renameSync } = fs;
let left = ${at};
const die = () => process.kill(process.pid, "SIGKILL");
fs.openSync = (path, ...rest) => {
  const file = openSync(path, ...rest);
  paths.set(file, String(path));
  return file;
};
fs.writeSync = (file, bytes, ...rest) => {
  const isCounted = (paths.get(file) ?? "").includes("/.holdfast/runs/") && String(bytes).includes(${JSON.stringify(text)});
  if (!isCounted || --left > 0) return writeSync(file, bytes, ...rest);
  if (${JSON.stringify(when)} === "half") writeSync(file, bytes.subarray(0, bytes.length / 2), ...rest);
  if (${JSON.stringify(when)} === "after") writeSync(file, bytes, ...rest);
  die();
};
fs.renameSync = (from, to) => {
  if (${text !== ""} || !String(to).includes("/.holdfast/runs/") || --left > 0) return renameSync(from, to);
  if (${JSON.stringify(when)} === "after") renameSync(from, to);
  die();
};
if (process.argv[2] === "run") syncBuiltinESMExports();
`,
  );
  return { NODE_OPTIONS: `--import ${pathToFileURL(file).href}` };
}

/** What must hold of a story, whatever was killed: no visit twice, no message lost or doubled, no tool run twice. */
export function expectWhole({ project }: KilledStory, where: string): void {
  const events = project.journal().split("\n").flatMap(eventsIn);
  const visits = events.filter(({ type }) => type === "visit-ended").map(({ place }) => place?.step);
  expect(visits, where).toEqual([...states]);
  const { requests } = project.model;
  for (const [index, request] of requests.entries()) {
    const before = requests[index - 1];
    expectSound(request, where);
    if (before !== undefined) expectContinued(before, request, where);
  }
  const effects = project.read("effects.log").trimEnd().split("\n");
  for (const state of states) {
    const ran = effects.filter((line) => line === state).length;
    // A call may be interrupted before its program begins.
    const isTold = requests.some((request) => isInterrupted(request, state));
    expect(ran, `${where} ${state}`).toBeLessThanOrEqual(1);
    if (!isTold) expect(ran, `${where} ${state}`).toBe(1);
  }
}

/** A write that was cut off leaves half a line, which the next one ends and every reader passes over. */
function eventsIn(line: string): { type: string; place?: { step: string } }[] {
  try {
    return JSON.parse(line).events ?? [];
  } catch {
    return [];
  }
}

function isInterrupted(request: ModelRequest, state: State): boolean {
  const ids = request.messages
    .flatMap(({ calls }) => calls)
    .filter(({ input }) => JSON.stringify(input).includes(`effect.js ${state}`))
    .map(({ id }) => id);
  const results = request.messages.flatMap((message) => message.results);
  return results.some(({ id, text }) => ids.includes(id) && text.startsWith("Interrupted"));
}

/** Every call has one result, every visit begins once, and the story stands once. */
function expectSound(request: ModelRequest, where: string): void {
  const ids = request.messages.flatMap(({ calls }) => calls.map(({ id }) => id));
  const results = request.messages.flatMap((message) => message.results.map(({ id }) => id));
  expect(new Set(ids).size, where).toBe(ids.length);
  expect(results, where).toEqual(ids);
  const text = JSON.stringify(request.messages);
  for (const state of states) expect(occurrences(text, `The step ${state} begins.`), where).toBeLessThanOrEqual(1);
  expect(occurrences(request.system + text, story), where).toBe(1);
}

/** The later one begins with all that the earlier one had, unless the approved plan has cleared it. */
function expectContinued(before: ModelRequest, after: ModelRequest, where: string): void {
  if (stepOf(after) === "CODING" && stepOf(before) === "PLAN_REVIEW") {
    expect(
      after.messages.filter(({ role }) => role !== "user"),
      where,
    ).toEqual([]);
    expect(after.system).toContain("THE PLAN");
    return;
  }
  if (stepOf(after) === stepOf(before)) expect(after.system, where).toBe(before.system);
  const last = before.messages.length - 1;
  expect(after.messages.slice(0, last), where).toEqual(before.messages.slice(0, last));
  const [had, has] = [before.messages[last], after.messages[last]] as [Message, Message];
  // What is said twice in a row by the same side is one message.
  expect({ ...has, text: has.text.slice(0, had.text.length) }, where).toEqual(had);
}
