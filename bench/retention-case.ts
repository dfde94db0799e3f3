import { call } from "../test/clients/continuity.ts";
import type { Reply } from "../test/clients/reply.ts";

/** What an agent must know: a text, or a long one that counts when its ends are there and a file has the rest. */
export type Fact = string | LongText;

export interface LongText {
  readonly text: string;
  /** The file that has it; null if the handoff has to name one. */
  readonly path: string | null;
}

/** A workflow, how far it goes before its context is lost, and what must be known after that. */
export interface Case {
  readonly shape: string;
  /** Null for a workflow that exists only as text. */
  readonly workflow: Template | null;
  readonly summary: string;
  readonly files: Readonly<Record<string, string>>;
  readonly calls: readonly Reply[];
  /** What is known from the start. */
  readonly rules: readonly Fact[];
  readonly first: readonly Fact[];
  /** What else is known when the calls have been made. */
  readonly later: readonly Fact[];
}

export interface Template {
  readonly name: string;
  readonly loops?: Readonly<Record<string, readonly object[]>>;
  readonly steps: readonly { readonly type: string; readonly id: string; readonly [key: string]: unknown }[];
  readonly [key: string]: unknown;
}

/** A workflow that the dice make, the same for the same seed. */
export function generateCase(seed: number): Case {
  const pick = dice(seed);
  const some = (most: number, make: (index: number) => string) =>
    Array.from({ length: pick(most + 1) }, (_, index) => make(index));
  const name = `flow-${seed}`;
  const steps = Array.from({ length: 2 + pick(5) }, (_, index) => makeStep(index, pick));
  const files = some(4, (index) => `docs/guide-${seed}-${index}.md`);
  const reminders = some(4, (index) => `Rule ${index} of ${seed}: ${sentence(pick)}`);
  const variables = some(4, (index) => `value_${index}`).map((key) => [key, word(pick)] as const);
  const visits = steps.flatMap(({ visits: all }) => all);
  const done = pick(visits.length);
  const here = visits[done];
  const calls = visits
    .slice(0, done)
    .flatMap(({ before, output }) => [...before, call("workflow_advance", { output })]);
  const [first] = steps;
  return {
    shape: "generated",
    workflow: {
      name,
      description: sentence(pick),
      required_reading: files.map((file) => `@${file}`),
      key_reminders: reminders,
      variables: Object.fromEntries(variables),
      loops: Object.fromEntries(steps.flatMap(({ loop, id }) => (loop === null ? [] : [[id, loop]]))),
      steps: steps.map(({ step }) => step),
    },
    summary: `Case ${seed}`,
    files: Object.fromEntries(files.map((file) => [file, "read me\n"])),
    calls: [...calls, ...(here?.before ?? [])],
    rules: [...files.map((file) => `@${file}`), ...reminders, ...variables.map(([key, value]) => `${key}: ${value}`)],
    first: first === undefined ? [] : [first.id, ...(first.loop === null ? [first.visits[0]?.instructions ?? ""] : [])],
    later: [
      here?.instructions ?? "",
      ...visits.slice(done - 1, done).map(({ output }) => output),
      ...steps.flatMap((step, index) => (visits.indexOf(step.last) < done ? [`${index + 1} ${step.id}`] : [])),
    ],
  };
}

/** A loop of 30 tasks whose instructions alone are nearly as long as a handoff may be. */
export function longLoop(): Case {
  const pick = dice(30);
  const lines = Array.from({ length: 160 }, (_, index) => `${index + 1}. ${sentence(pick)} and ${sentence(pick)}.`);
  const instructions = lines.join("\n").slice(0, 8_000);
  const tasks = Array.from({ length: 30 }, (_, index) => ({
    id: `t${index + 1}`,
    title: `Knot ${index + 1} ${word(pick)}`,
  }));
  const files = ["docs/rope.md", "docs/knots.md", "docs/harbour.md"];
  const reminders = Array.from({ length: 5 }, (_, index) => `Rule ${index}: ${sentence(pick)}`);
  const variables = { rope: "hemp", length: "12", harbour: "Trieste" };
  const titles = tasks.slice(0, 9).map(({ title }, index) => `task ${index + 1}/30 "${title}"`);
  return {
    shape: "30 tasks",
    workflow: {
      name: "harbour",
      description: "Thirty knots",
      required_reading: files.map((file) => `@${file}`),
      key_reminders: reminders,
      variables,
      loops: { tie: [{ id: "turn", instructions }] },
      steps: [
        { id: "measure", type: "action", instructions: "Measure the rope" },
        { id: "tie", type: "loop" },
        { id: "check", type: "action", instructions: "Check every knot" },
      ],
    },
    summary: "Thirty knots",
    files: Object.fromEntries(files.map((file) => [file, "read me\n"])),
    calls: [
      call("workflow_advance", { output: "twelve metres" }),
      call("workflow_set_tasks", { loop_id: "tie", tasks }),
      ...titles.map((_, index) => call("workflow_advance", { output: outputOf(index) })),
    ],
    rules: [
      ...files.map((file) => `@${file}`),
      ...reminders,
      ...Object.entries(variables).map(([key, value]) => `${key}: ${value}`),
    ],
    first: ["measure", "Measure the rope"],
    later: [
      { text: instructions, path: null },
      "1 measure  twelve metres",
      ...titles,
      tasks[9]?.title ?? "",
      ...outputOf(titles.length - 1).split("\n"),
    ],
  };
}

function outputOf(index: number): string {
  return `Knot ${index + 1} holds.\nThe end of it is ${index + 3} centimetres long.`;
}

/** Critical artifacts of 200 KB beside a small one. */
export function largeArtifacts(): Case {
  const pick = dice(200);
  const sections = Array.from({ length: 400 }, (_, index) => {
    const text = Array.from({ length: 10 }, () => `${sentence(pick)}.`).join(" ");
    return `## Part ${index + 1}: ${word(pick)}\n${text}\n`;
  });
  const grown = (head: string) => `# ${head}\nIt begins with the ${head}.\n${sections.join("")}`;
  const spec = `${grown("specification").slice(0, 204_700)}\nIt ends with the last knot.\n`;
  const notes = `${grown("notebook").slice(0, 204_700)}\nIt ends with the last page.\n`;
  const protocol = "# Protocol\n\nOne knot at a time.\n";
  return {
    shape: "200 KB artifacts",
    workflow: {
      name: "archive",
      description: "Much to read",
      key_reminders: ["Never cut the rope"],
      variables: { rope: "hemp" },
      critical_artifacts: {
        always_load: [
          { id: "protocol", type: "markdown", path: "docs/protocol.md", required: true },
          { id: "specification", type: "markdown", path: "docs/spec.md", required: true },
          { id: "notebook", type: "markdown", path: "docs/notes.md" },
        ],
      },
      steps: [
        { id: "read", type: "action", instructions: "Read the specification" },
        { id: "tie", type: "action", instructions: "Tie what the specification says" },
      ],
    },
    summary: "Much to read",
    files: { "docs/protocol.md": protocol, "docs/spec.md": spec, "docs/notes.md": notes },
    calls: [call("workflow_advance", { output: "It is long" })],
    rules: [
      "Never cut the rope",
      "rope: hemp",
      "One knot at a time.",
      { text: spec, path: "docs/spec.md" },
      { text: notes, path: "docs/notes.md" },
    ],
    first: ["read", "Read the specification"],
    later: ["Tie what the specification says", "1 read  It is long"],
  };
}

/** A workflow that nobody started: the project's notes describe it. */
export function textOnly(): Case {
  const reading = ["CLAUDE/PageOrchestration.md", "CLAUDE/Sitemap/case-studies.md"];
  const reminders = ["Ask before deleting", "One page at a time"];
  return {
    shape: "text only",
    workflow: null,
    summary: "",
    files: {
      "CLAUDE.local.md": [
        "# Current Workflow State",
        "",
        "Workflow: Page Orchestration - Case Studies",
        "Phase: 4/10 - SEO Generation",
        "page: harbour",
        ...reading.map((file) => `@${file}`),
        "",
        "Key Reminders:",
        ...reminders.map((reminder) => `- ${reminder}`),
        "",
      ].join("\n"),
      ...Object.fromEntries(reading.map((file) => [file, "read me\n"])),
    },
    calls: [],
    rules: [...reading.map((file) => `@${file}`), ...reminders, "page: harbour"],
    first: [],
    later: ["Workflow: Page Orchestration - Case Studies", "phase 4/10 SEO Generation"],
  };
}

/** The command of every gate, and the file that lets it pass. */
export const gateFile = "gate-is-open";
export const gateCommand = `until [ -e ${gateFile} ]; do sleep .05; done`;

/** The same workflow with a gate at every visit. */
export function withGates(template: Template): Template {
  const gate = [{ run: gateCommand }];
  const { loops = {}, steps } = template;
  return {
    ...template,
    loops: Object.fromEntries(Object.entries(loops).map(([id, subs]) => [id, subs.map((sub) => ({ ...sub, gate }))])),
    steps: steps.map((step) => (step.type === "loop" ? step : { ...step, gate })),
  };
}

interface Visit {
  /** What must be called to get here. */
  readonly before: readonly Reply[];
  readonly output: string;
  readonly instructions: string;
}

function makeStep(index: number, pick: (sides: number) => number) {
  const id = `step-${index}-${word(pick)}`;
  const phase = pick(2) === 0 ? {} : { phase: `Phase ${word(pick)} ${index}` };
  const instructions = sentence(pick);
  const visit = (text = instructions, before: readonly Reply[] = []): Visit => ({
    before,
    output: sentence(pick),
    instructions: text,
  });
  const kind = pick(3);
  if (kind === 0) {
    const visits = [visit()];
    return made(id, { id, type: "action", instructions, ...phase }, null, visits);
  }
  if (kind === 1) {
    const n = 1 + pick(3);
    const visits = Array.from({ length: n }, () => visit());
    return made(id, { id, type: "ralph", n, instructions, ...phase }, null, visits);
  }
  const tasks = Array.from({ length: 1 + pick(3) }, (_, task) => ({ id: `t${task}`, title: `Task ${word(pick)}` }));
  const loop = Array.from({ length: 1 + pick(2) }, (_, sub) => ({
    id: `sub-${sub}`,
    instructions: `${sentence(pick)} for {task.title}`,
  }));
  const set = [call("workflow_set_tasks", { loop_id: id, tasks })];
  const visits = tasks.flatMap(({ title }, task) =>
    loop.map((sub, place) => visit(sub.instructions.replace("{task.title}", title), task + place === 0 ? set : [])),
  );
  return made(id, { id, type: "loop", ...phase }, loop, visits);
}

function made(id: string, step: Template["steps"][number], loop: readonly object[] | null, visits: readonly Visit[]) {
  const last = visits.at(-1);
  if (last === undefined) throw new Error("a step has at least one visit");
  return { id, step, loop, visits, last };
}

const words = ["anchor", "bowline", "cleat", "drift", "ebb", "fender", "gale", "halyard", "inlet", "jetty", "keel"];

function word(pick: (sides: number) => number): string {
  return words[pick(words.length)] ?? "";
}

function sentence(pick: (sides: number) => number): string {
  return Array.from({ length: 4 + pick(5) }, () => word(pick)).join(" ");
}

/** The same numbers for the same seed, so that a lost fact can be looked for again. */
function dice(seed: number): (sides: number) => number {
  let state = seed * 2_654_435_761;
  return (sides) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return state % sides;
  };
}
