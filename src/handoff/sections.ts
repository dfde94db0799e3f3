import { pivotTag } from "../model/look-alike.ts";
import type { Face } from "../model/refusal/wording.ts";
import type { AgentLimits, Hints, VisitRules } from "../model/visit-rules.ts";
import { clip, oneLine, pointer, quoted, quoteEnds, rest, valueText } from "./data-text.ts";
import type { HandoffFacts } from "./facts.ts";
import { sharedLines, taskForms } from "./task-lines.ts";

/** One part of a handoff. */
export interface Section {
  /** The full text first, then ever shorter versions of it. */
  readonly forms: readonly string[];
  /** How many of the shorter versions lose little: they show both ends of a long text and name the file that has it all. */
  readonly cheap?: number;
}

/** How many characters of an output the list of what is done shows. */
export const longestAbout = 120;

/** Maximum lengths of single items, in characters; the full texts are in the handoff file. */
const longest = {
  /** Where there is room for it. */
  wholeItem: 1_000,
  name: 100,
  path: 300,
  reminder: 400,
  value: 200,
  feedback: 1_000,
  pivot: 2_000,
  answer: 1_000,
  item: 160,
  about: longestAbout,
  note: 200,
  rule: 1_500,
  /** Where nothing else can be shortened: the end of a handoff says what to do, and must not be cut. */
  shortRule: 300,
  gate: 300,
  agent: 300,
};

export function identity(facts: HandoffFacts): string {
  const { workflow, workflowType, summary, phase, runId } = facts;
  const parts = [
    `Workflow: ${oneLine(workflow, longest.name)} (${oneLine(workflowType, longest.name)})`,
    ...(summary === null ? [] : [JSON.stringify(oneLine(summary, longest.name))]),
    `phase ${phaseText(facts)} (${oneLine(phase.status, 40)})`,
    ...(runId === null ? [] : [`run ${oneLine(runId, longest.name)}`]),
  ];
  return parts.join(" · ");
}

export function phaseText({ phase }: HandoffFacts): string {
  return `${phase.current}/${phase.total} ${oneLine(phase.name, longest.name)}`.trim();
}

/** In the person's own words; the summary is only their first line. */
export function requestSection({ request }: HandoffFacts, face: Face = "mcp"): Section {
  if (request === null) return { forms: [""] };
  const { text, file } = request;
  // Long instructions lose their middle, which names the file.
  if (text === null) return { forms: [`REQUEST   all of it${pointer(file)}`] };
  const { forms, ...rest } = shortening("REQUEST", text, file === null ? wholeIn[face] : pointer(file));
  // One that is so long that it has a file is never shown whole.
  return { forms: file === null ? forms : forms.slice(1), ...rest };
}

export function doneText({ about, outcome }: HandoffFacts["done"][number]): string {
  return outcome === undefined ? about : `${outcome}: ${about}`;
}

export function doneSection({ done }: HandoffFacts, file: string | null): Section {
  if (done.length === 0) return { forms: [""] };
  const head = "DONE, not to be redone";
  const name = (step: string) => oneLine(step, longest.name);
  const lines = done.map((item) => `  ${item.number} ${name(item.step)}  ${oneLine(doneText(item), longest.about)}`);
  const names = [...new Set(done.map(({ number, step }) => `${number} ${name(step)}`))].join(", ");
  return {
    forms: [
      [head, ...lines.map((line) => line.trimEnd())].join("\n"),
      `${head}: ${clip(names, 1_500)}`,
      `${head}: ${done.length} steps${pointer(file)}`,
    ],
  };
}

/** Instructions up to this length are cut only after every other section has shrunk. */
export const longInstructions = 3_000;

/** How many characters of long instructions the forms keep: first what the other sections leave, at last very little. */
const cheapLengths = /* @__PURE__ */ Array.from({ length: 12 }, (_, index) => longInstructions + (11 - index) * 500);
const shortLengths = [2_000, 1_000, 500, 250];

export function hereSection(facts: HandoffFacts, file: string | null): Section {
  const { here, phase, tasks } = facts;
  const inPhase = () => [`CONTINUE HERE   phase ${phaseText(facts)} (${oneLine(phase.status, 40)})`];
  if (here === null) return { forms: tasks === null ? inPhase() : taskForms(tasks) };
  const within = here.within === null ? "" : ` · ${oneLine(here.within, 300)}`;
  const where = `step ${here.number}/${here.total} ${oneLine(here.step, longest.name)}${within}`;
  const waiting = here.waiting === null ? [] : [`  ${oneLine(here.waiting, longest.note)}`];
  const head = `CONTINUE HERE   ${where} · visit ${oneLine(here.token, 400)}`;
  const left = pointer(here.instructionsFile ?? file);
  const { length } = here.instructions;
  const cheap = cheapLengths.filter((most) => most < length);
  const form = (most: number, { otherTasks, rule }: { readonly otherTasks: number; readonly rule: number }) => {
    const shared = tasks === null ? [] : sharedLines(tasks, here.token, otherTasks);
    const rules = here.rules.map((text) => `  ${oneLine(text, rule)}`);
    return [head, ...shared, ...waiting, quoteEnds(here.instructions, most, left), ...rules].join("\n");
  };
  const usual = { otherTasks: 8, rule: longest.rule };
  return {
    forms: [
      ...[length, ...cheap, ...shortLengths].map((most) => form(most, usual)),
      form(Math.min(...shortLengths), { otherTasks: 2, rule: longest.shortRule }),
    ],
    cheap: cheap.length,
  };
}

/** Where a reader finds the whole of what was cut. */
const wholeIn = { cli: ": see `holdfast context`", mcp: ": see workflow_context" } as const satisfies Record<
  Face,
  string
>;

/** What the last visit gave; in a loop or a ralph step no other section has it. */
export function outputSection({ lastOutput }: HandoffFacts, face: Face = "mcp"): Section {
  if (lastOutput === null) return { forms: [""] };
  const { token, text, failed } = lastOutput;
  const head = `LAST OUTPUT   visit ${oneLine(token, 400)}${failed ? " (failed)" : ""}`;
  return shortening(head, text, wholeIn[face]);
}

function shortening(head: string, text: string, left: string): Section {
  const lengths = [4_000, 2_000, 1_000, 400].filter((most) => most < text.length);
  return {
    forms: [text.length, ...lengths].map((most) => `${head}\n${quoteEnds(text, most, left)}`),
    cheap: lengths.filter((most) => most >= 2_000).length,
  };
}

/** All entries, or as many as fit once every other section has shrunk. */
export function readingSection({ requiredReading }: HandoffFacts, file: string | null): Section {
  const all = requiredReading.length;
  if (all === 0) return { forms: [""] };
  const lines = requiredReading.map(({ path, missing }) => {
    return `  ${oneLine(path, longest.path)}${missing ? " (missing)" : ""}`;
  });
  const counts = [all, ...readingCounts.filter((count) => count < all)];
  return {
    forms: counts.map((count) => ["REQUIRED READING", ...lines.slice(0, count), ...rest(all - count, file)].join("\n")),
  };
}

const readingCounts = [120, 90, 60, 45, 30, 20, 15, 10, 5, 2, 1];

export function reminderSection({ keyReminders }: HandoffFacts, file: string | null): Section {
  const listed = (most: number) =>
    listSection(
      "KEY REMINDERS",
      keyReminders.map((reminder) => `  - ${oneLine(reminder, most)}`),
      file,
    ).forms;
  return { forms: [...listed(longest.wholeItem).slice(0, 1), ...listed(longest.reminder)] };
}

export function contextSection({ context }: HandoffFacts, file: string | null): Section {
  const names = Object.keys(context).map((key) => oneLine(key, longest.name));
  if (names.length === 0) return { forms: [""] };
  const pairs = (most: number) =>
    Object.values(context).map((value, index) => `${names[index]}: ${valueText(value, most)}`);
  return {
    forms: [
      ...[longest.wholeItem, longest.value].map((most) => `CONTEXT   ${pairs(most).join(" · ")}`),
      `CONTEXT   ${clip(names.join(", "), 400)}${pointer(file)}`,
      `CONTEXT   ${names.length} values${pointer(file)}`,
    ],
  };
}

export function otherSection({ others, runId }: HandoffFacts, face: Face = "mcp"): Section {
  const [first, ...rest] = others;
  if (first === undefined) return { forms: [""] };
  const one = ({ id, where }: typeof first) => `${oneLine(id, longest.name)} (${oneLine(where, longest.about)})`;
  const [a, many] = runId === null ? ["workflow", "workflows"] : ["live run", "live runs"];
  const head = rest.length === 0 ? `Another ${a} in this project:` : `Other ${many} in this project:`;
  const words = otherWords[face];
  // A tracked workflow has no id that a tool would take.
  const alone = `Leave ${rest.length === 0 ? "it" : "them"} alone unless you are asked.`;
  const switching = runId === null ? alone : words.switch;
  const named = clip([first, ...rest].slice(0, 5).map(one).join(", "), 600);
  const list = runId === null ? " in this project." : `: ${words.list}.`;
  return { forms: [`${head} ${named}. ${switching}`, `${others.length} other ${many}${list}`] };
}

const otherWords = {
  cli: { switch: "To switch, name it with --run.", list: "see `holdfast runs`" },
  mcp: { switch: "To switch, pass its id as run_id.", list: "see workflow_list" },
} as const satisfies Record<Face, unknown>;

export function noteSection({ notes }: HandoffFacts): Section {
  return {
    forms: [
      notes
        .slice(0, 10)
        .map((note) => `Note: ${oneLine(note, longest.note)}`)
        .join("\n"),
      "",
    ],
  };
}

function listSection(head: string, lines: readonly string[], file: string | null): Section {
  if (lines.length === 0) return { forms: [""] };
  return {
    forms: [
      [head, ...lines].join("\n"),
      [head, ...lines.slice(0, 8).map((line) => clip(line, 160)), ...rest(lines.length - 8, file)].join("\n"),
      `${head}   ${lines.length}${pointer(file)}`,
    ],
  };
}

/** Only this section puts the pivot tag at the beginning of a line: text from state never can. */
export function feedbackSection({ feedback, memory: { pivot } }: HandoffFacts, file: string | null): Section {
  const lines = feedback.map(({ from, text }) => {
    return `  ${oneLine(from, longest.name)}: ${quoted(text, longest.feedback)}`;
  });
  if (pivot === null) return listSection("FEEDBACK", lines, file);
  const tagged = (most: number) => (pivot.text === null ? [] : [`${pivotTag} ${quoted(pivot.text, most)}`]);
  const about = `  ${oneLine(pivot.about, longest.feedback)}`;
  return {
    forms: [longest.pivot, 800, 400].map((most, form) => {
      return ["FEEDBACK", ...tagged(most), about, ...(form === 0 ? lines : lines.map((line) => clip(line, 160)))].join(
        "\n",
      );
    }),
  };
}

export function answersSection({ memory: { answers } }: HandoffFacts, file: string | null): Section {
  const lines = answers.map(({ id, question, answer, by }) => {
    const who = oneLine(by, longest.name);
    return `  ${oneLine(id, longest.name)} ${quoted(question, longest.answer)} ${who}: ${quoted(answer, longest.answer)}`;
  });
  return listSection("ANSWERS", lines, file);
}

export function carriedSection({ memory: { carried } }: HandoffFacts, face: Face = "mcp"): Section {
  if (carried.length === 0) return { forms: [""] };
  const names = carried.map(({ name }) => oneLine(name, longest.name)).join(", ");
  const whole = (most: number) =>
    carried.map(({ name, text }) => {
      return `CARRIED   ${oneLine(name, longest.name)}\n${quoteEnds(text, most, wholeIn[face])}`;
    });
  return {
    forms: [...[3_000, 1_000, 400].map((most) => whole(most).join("\n\n")), `CARRIED   ${names}${wholeIn[face]}`],
  };
}

/** One line: the agent can read the list itself from its file. */
export function todoSection({ memory: { todo } }: HandoffFacts): Section {
  if (todo === null) return { forms: [""] };
  const { file, items, done, current, edited } = todo;
  const now = current === null ? "" : `; now: ${quoted(current, longest.item)}`;
  const where = `(${oneLine(file, longest.name)}${edited ? ", edited by hand since" : ""})`;
  return { forms: [`TODO   ${done} of ${items} done${now} ${where}`, `TODO   ${done} of ${items} done ${where}`] };
}

/** The rules of a visit, one per line. Every visit comes with them. */
export function visitRuleLines({ gates, until, agent, hints = {} }: VisitRules): string[] {
  const all = (checks: readonly string[]) => checks.map((check) => oneLine(check, longest.gate)).join("; ");
  return [
    ...(gates.length === 0 ? [] : [`Before this visit may end: ${all(gates)}.`]),
    ...(until.length === 0 ? [] : [`The iterations end early once ${all(until)}.`]),
    ...(agent === null ? ownLimits(hints) : [agentLine(agent, hints)]),
  ];
}

function agentLine({ name, description, cannot }: AgentLimits, { tools = [], model, permissions }: Hints): string {
  const parts = [
    `The agent "${oneLine(name, 100)}": ${oneLine(description, longest.agent).replace(/\.$/, "")}.`,
    ...(model === undefined ? [] : [`Its model: ${oneLine(model, 200)}.`]),
    ...(tools.length === 0 ? [] : [`Its tools: ${listed(tools)}.`]),
    ...(permissions === "read" ? ["It only reads, and changes nothing."] : []),
    ...(cannot.length === 0 ? [] : [`It must not: ${listed(cannot)}. Tell it so.`]),
  ];
  return parts.join(" ");
}

/** The agent that reads this cannot choose its own model. */
function ownLimits({ tools = [], permissions }: Hints): string[] {
  return [
    ...(tools.length === 0 ? [] : [`In this visit, use only these tools: ${listed(tools)}.`]),
    ...(permissions === "read" ? ["In this visit, only read: change nothing."] : []),
  ];
}

function listed(words: readonly string[]): string {
  return oneLine(words.join(", "), longest.agent);
}
