import { describe, expect, test } from "vitest";
import { loadTemplate } from "../../src/templates/load.ts";
import { type Files, loadInProject } from "./reuse/project.ts";

/** One mistake, and all that is said about it: line, column, path and message, and the file if it is that of a base. */
interface Mistake {
  readonly mistake: string;
  readonly text: string | Uint8Array;
  /** Other files of the project; the text itself is `.holdfast/workflows/ship.yaml`. */
  readonly files?: Files;
  readonly problems: readonly (readonly [line: number, column: number, path: string, message: string, file?: string])[];
}

const head = "name: feature\ndescription: Build it\n";
const plan = "steps:\n  - { id: plan, type: action, instructions: Plan it }\n";

/** A workflow of one good step, with these lines before it, from line 3. */
const top = (lines: string) => `${head}${lines}\n${plan}`;
/** A workflow of one step with these fields, from line 4, column 7. */
const step = (fields: string) => `${head}steps:\n  - { ${fields} }\n`;
const parallelLoop = (parallel: string) =>
  `${head}loops:\n  build: [{ id: do, instructions: Do it }]\nsteps:\n  - { id: build, type: loop, parallel: ${parallel} }\n`;
/** The same for the one sub-step of a loop, from line 5, column 9. */
const subStep = (fields: string) =>
  `${head}loops:\n  build:\n    - { ${fields} }\nsteps:\n  - { id: build, type: loop }\n`;
/** The same for the gate of a step, from line 4, column 60. */
const gate = (checks: string) => step(`id: plan, type: action, instructions: Plan it, gate: ${checks}`);
/** The same for a critical artifact, from line 5, column 9. */
const artifact = (fields: string) => top(`critical_artifacts:\n  always_load:\n    - { ${fields} }`);

/** The same for the condition of the second of two steps, from line 5, column 60. */
const when = (condition: string) =>
  `${head}steps:\n  - { id: plan, type: action, instructions: Plan it, outcomes: { ok: next, bad: next } }\n  - { id: ship, type: action, instructions: Ship it, when: ${condition} }\n`;

/** The same with variables before the step, so that its gate begins in line 5, column 60. */
const gateWith = (variables: string, checks: string) =>
  `${head}variables: ${variables}\n${gate(checks).slice(head.length)}`;

/** The same for the declaration of a variable, from line 4, column 6. */
const variable = (declaration: string) => top(`variables:\n  a: ${declaration}`);

/** The same for the source of the tasks of a loop after a step and a command, from line 8, column 37. */
const tasks = (source: string, variables = "{}") =>
  `${head}variables: ${variables}\nloops: { build: [{ id: code, instructions: Code it }] }\nsteps:\n  - { id: plan, type: action, instructions: Plan it }\n  - { id: fetch, type: command, run: make fetch }\n  - { id: build, type: loop, tasks: ${source} }\n`;

/** A workflow to extend: two steps, a loop from line 6, and a last step. */
const base = `name: base
description: Build it
agents:
  reviewer: { description: reads }
loops:
  build:
    - { id: make, instructions: Make it }
    - { id: verify, instructions: Verify it }
steps:
  - { id: plan, type: action, instructions: Plan it }
  - { id: review, type: action, agent: reviewer, instructions: Review it, outcomes: { good: build, bad: plan } }
  - { id: build, type: loop }
  # The last one.
  - { id: polish, type: ralph, n: 3, instructions: Polish it }
`;
const withBase = { ".holdfast/workflows/base.yaml": base };
/** A workflow over that one with this change, from line 4, column 7. */
const change = (fields: string) => `name: ship\nextends: base\nchange:\n  - { ${fields} }\n`;

const mistakes: Readonly<Record<string, readonly Mistake[]>> = {
  "where a failure leads": [
    {
      mistake: "a way that there is not",
      text: step("id: plan, type: action, instructions: Plan it, on_fail: { goto: plan }"),
      problems: [[4, 63, "steps[0].on_fail", "must be retry, skip, abort or a map with go_to"]],
    },
    {
      mistake: "a failure that leads to no step",
      text: step("id: plan, type: action, instructions: Plan it, on_fail: { go_to: fix }"),
      problems: [[4, 72, "steps[0].on_fail.go_to", '"fix" is not a step; the steps are plan']],
    },
    {
      mistake: "a failure that leads to its own step",
      text: step("id: plan, type: action, instructions: Plan it, on_fail: { go_to: plan }"),
      problems: [[4, 72, "steps[0].on_fail.go_to", '"plan" is the step itself; use on_fail: retry to try it again']],
    },
    {
      mistake: "a failure that leads to the end of the run",
      text: step("id: plan, type: action, instructions: Plan it, on_fail: { go_to: fail }"),
      problems: [[4, 72, "steps[0].on_fail.go_to", '"fail" is not a step; the steps are plan']],
    },
  ],
  "where a loop gets its tasks": [
    {
      mistake: "no source at all",
      text: tasks("{}"),
      problems: [[8, 37, "steps[2].tasks", "must be a map with run, file or output"]],
    },
    {
      mistake: "the tasks themselves",
      text: tasks("[one, two]"),
      problems: [[8, 37, "steps[2].tasks", "must be a map with run, file or output, not a list"]],
    },
    {
      mistake: "a file without its key",
      text: tasks("tasks.md"),
      problems: [[8, 37, "steps[2].tasks", 'must be a map with run, file or output, not "tasks.md"']],
    },
    {
      mistake: "two sources",
      text: tasks("{ run: make list, file: tasks.md }"),
      problems: [[8, 37, "steps[2].tasks", "has run and file; name one source"]],
    },
    {
      mistake: "a misspelt source",
      text: tasks("{ flie: tasks.md }"),
      problems: [[8, 39, "steps[2].tasks.flie", 'unknown key "flie"; did you mean file?']],
    },
    {
      mistake: "an empty command",
      text: tasks("{ run: '' }"),
      problems: [[8, 44, "steps[2].tasks.run", "must not be empty"]],
    },
    {
      mistake: "an empty file",
      text: tasks("{ file: ' ' }"),
      problems: [[8, 45, "steps[2].tasks.file", "must not be empty"]],
    },
    {
      mistake: "a file with a timeout",
      text: tasks("{ file: tasks.md, timeout: 5m }"),
      problems: [[8, 55, "steps[2].tasks.timeout", "an entry with file cannot have timeout; only one with run can"]],
    },
    {
      mistake: "a command with a timeout that is none",
      text: tasks("{ run: make list, timeout: soon }"),
      problems: [[8, 64, "steps[2].tasks.timeout", 'must be a time such as "90s", "10m" or "1h", not "soon"']],
    },
    {
      mistake: "a file outside of the project",
      text: tasks("{ file: ../tasks.md }"),
      problems: [[8, 45, "steps[2].tasks.file", "must be a path inside the project, from its top"]],
    },
    {
      mistake: "a file by its absolute path",
      text: tasks("{ file: /etc/passwd }"),
      problems: [[8, 45, "steps[2].tasks.file", "must be a path inside the project, from its top"]],
    },
    {
      mistake: "the output of a step that does not exist",
      text: tasks("{ output: paln }"),
      problems: [[8, 47, "steps[2].tasks.output", '"paln" is not a step; did you mean plan?']],
    },
    {
      mistake: "the output of the loop itself",
      text: tasks("{ output: build }"),
      problems: [[8, 47, "steps[2].tasks.output", '"build" is the loop itself; name an earlier step']],
    },
    {
      mistake: "the output of another loop",
      text: `${head}loops: { a: [{ id: x, instructions: X }], b: [{ id: y, instructions: Y }] }\nsteps:\n  - { id: a, type: loop }\n  - { id: b, type: loop, tasks: { output: a } }\n`,
      problems: [[6, 43, "steps[1].tasks.output", '"a" is a loop, which has an output for each of its tasks']],
    },
    {
      mistake: "the output of a command, of which only the end is kept",
      text: tasks("{ output: fetch }"),
      problems: [
        [
          ...([8, 47, "steps[2].tasks.output"] as const),
          '"fetch" keeps only the end of what it prints; write its command as tasks: { run: ... }',
        ],
      ],
    },
    {
      mistake: "the command in a variable that does not exist",
      text: tasks("{ run: { command: lst } }", "{ list: { type: command, default: make list } }"),
      problems: [[8, 55, "steps[2].tasks.run.command", '"lst" is not a variable; did you mean list?']],
    },
    {
      mistake: "a command that would execute a variable",
      text: tasks("{ run: $HOLDFAST_VAR_LIST }"),
      problems: [
        [
          ...([8, 44, "steps[2].tasks.run"] as const),
          "must not begin with a variable, which would be executed; declare list with type: command and write command: list",
        ],
      ],
    },
    {
      mistake: "tasks of a step that is no loop",
      text: step("id: plan, type: action, instructions: Plan it, tasks: { file: a.md }"),
      problems: [[4, 54, "steps[0].tasks", "a step of type action cannot have tasks; only a step of type loop can"]],
    },
    {
      mistake: "tasks of a sub-step",
      text: subStep("id: code, instructions: Code it, tasks: { file: a.md }"),
      problems: [[5, 42, "loops.build[0].tasks", "a sub-step cannot have tasks; only a step of type loop can"]],
    },
    {
      mistake: "a change that gives tasks to a step that is no loop",
      text: change("step: plan, set: { tasks: { file: a.md } }"),
      files: withBase,
      problems: [
        [4, 26, "change[0].set.tasks", "a step of type action cannot have tasks; only a step of type loop can"],
      ],
    },
    {
      mistake: "a change that takes the tasks from a step that is not there",
      text: change("step: build, set: { tasks: { output: plam } }"),
      files: withBase,
      problems: [[4, 44, "change[0].set.tasks.output", '"plam" is not a step; did you mean plan?']],
    },
    {
      mistake: "a base whose loop takes its tasks from outside of the project",
      text: "name: ship\nextends: base\n",
      files: { ".holdfast/workflows/base.yaml": tasks("{ file: ../a.md }").replace("feature", "base") },
      problems: [
        [
          ...([8, 45, "steps[2].tasks.file", "must be a path inside the project, from its top"] as const),
          ".holdfast/workflows/base.yaml",
        ],
      ],
    },
    {
      mistake: "a change that removes the step whose output has the tasks",
      text: change("step: plan, remove: true"),
      files: { ".holdfast/workflows/base.yaml": tasks("{ output: plan }").replace("feature", "base") },
      problems: [
        [
          ...([4, 5, "change[0]"] as const),
          'breaks steps[2].tasks.output (.holdfast/workflows/base.yaml:8:47): "plan" is not a step; the steps are fetch, build',
        ],
      ],
    },
  ],
  "a command as a step": [
    {
      mistake: "a command step that runs nothing",
      text: step("id: lint, type: command"),
      problems: [
        [4, 5, "steps[0].run", "is missing; it must be a command line, a list of arguments or a map with command"],
      ],
    },
    {
      mistake: "an empty command",
      text: step("id: lint, type: command, run: ''"),
      problems: [[4, 37, "steps[0].run", "must not be empty"]],
    },
    {
      mistake: "a command with instructions",
      text: step("id: lint, type: command, run: npm run lint, instructions: Lint it"),
      problems: [
        [
          ...([4, 51, "steps[0].instructions"] as const),
          "a step of type command cannot have instructions; only a step of type action, loop or ralph can",
        ],
      ],
    },
    {
      mistake: "a command with a gate",
      text: step("id: lint, type: command, run: npm run lint, gate: [{ exists: a.md }]"),
      problems: [
        [
          ...([4, 51, "steps[0].gate"] as const),
          "a step of type command cannot have gate; only a step of type action or ralph can",
        ],
      ],
    },
    {
      mistake: "an action with a command",
      text: step("id: lint, type: action, instructions: Lint, run: npm run lint"),
      problems: [[4, 51, "steps[0].run", "a step of type action cannot have run; only a step of type command can"]],
    },
    {
      mistake: "a command that says in words that it may be repeated",
      text: step("id: lint, type: command, run: npm run lint, repeatable: 'yes'"),
      problems: [[4, 63, "steps[0].repeatable", 'must be true or false, not "yes"']],
    },
    {
      mistake: "a command with a timeout that is none",
      text: step("id: lint, type: command, run: npm run lint, timeout: 5 minutes"),
      problems: [[4, 60, "steps[0].timeout", 'must be a time such as "90s", "10m" or "1h", not "5 minutes"']],
    },
    {
      mistake: "a command as a sub-step",
      text: subStep("id: lint, type: command, run: npm run lint"),
      problems: [
        [5, 7, "loops.build[0].instructions", 'is missing in sub-step "build.lint"; it must be text'],
        [5, 19, "loops.build[0].type", "a sub-step cannot have type; only a step can"],
        [5, 34, "loops.build[0].run", "a sub-step cannot have run; only a step of type command can"],
      ],
    },
  ],
  "the condition of a step": [
    {
      mistake: "a condition that is no text",
      text: when("true"),
      problems: [[5, 60, "steps[1].when", "must be text, not the boolean true; put it in quotes"]],
    },
    {
      mistake: "an empty condition",
      text: when("''"),
      problems: [[5, 60, "steps[1].when", "must not be empty"]],
    },
    {
      mistake: "a condition that breaks off",
      text: when("vars.mode =="),
      problems: [[5, 72, "steps[1].when", "column 13: expected a value, found the end"]],
    },
    {
      mistake: "a condition with a call",
      text: when("outputs.plan.includes('x')"),
      problems: [[5, 81, "steps[1].when", "column 22: a condition cannot call functions"]],
    },
    {
      mistake: "a condition with a list in the wrong place",
      text: when("\"vars.mode == ['a']\""),
      problems: [[5, 74, "steps[1].when", "column 14: a list can only follow in"]],
    },
    {
      mistake: "a condition that reads something unknown",
      text: when("outcome.plan == 'ok'"),
      problems: [[5, 60, "steps[1].when", 'column 1: "outcome" is unknown; did you mean outcomes?']],
    },
    {
      mistake: "the outcome of a step that does not exist",
      text: when("outcomes.plann == 'ok'"),
      problems: [[5, 60, "steps[1].when", '"plann" is not a step; did you mean plan?']],
    },
    {
      mistake: "the output of a step that does not exist",
      text: when("true && outputs.review"),
      problems: [[5, 68, "steps[1].when", '"review" is not a step; the steps are plan, ship']],
    },
    {
      mistake: "the outcome of a step without outcomes",
      text: when("outcomes.ship == 'ok'"),
      problems: [[5, 60, "steps[1].when", 'the step "ship" has no outcomes']],
    },
    {
      mistake: "an outcome that the step does not have",
      text: when("outcomes.plan == 'badd'"),
      problems: [[5, 77, "steps[1].when", '"badd" is not an outcome of "plan"; did you mean bad?']],
    },
    {
      mistake: "a list of outcomes with one that the step does not have",
      text: when("\"outcomes.plan in ['ok', 'fine']\""),
      problems: [[5, 61, "steps[1].when", '"fine" is not an outcome of "plan"; it has ok, bad']],
    },
    {
      mistake: "outcomes of no step",
      text: when("size outcomes > 1"),
      problems: [[5, 65, "steps[1].when", "outcomes must name a step: outcomes.<step>"]],
    },
    {
      mistake: "what a run does not have",
      text: when("run.request contains 'x'"),
      problems: [[5, 60, "steps[1].when", 'run has no "request"; a run has id, summary, workflow']],
    },
    {
      mistake: "what the state does not have",
      text: when("state.stpes.plan != null"),
      problems: [[5, 60, "steps[1].when", 'state has no "stpes"; did you mean steps?']],
    },
    {
      mistake: "the state of a step that does not exist",
      text: when("state.steps.plann.status == 'done'"),
      problems: [[5, 60, "steps[1].when", '"plann" is not a step; did you mean plan?']],
    },
    {
      mistake: "a part of an output",
      text: when("outputs.plan.t1 == 'x'"),
      problems: [[5, 60, "steps[1].when", 'outputs.plan is a text, so it has no "t1"']],
    },
    {
      mistake: "the task of a step outside a loop",
      text: when("task.id == 't1'"),
      problems: [[5, 60, "steps[1].when", "task is only available in the sub-steps of a loop"]],
    },
    {
      mistake: "a field that a task does not have",
      text: subStep("id: code, instructions: Code it, when: task.name == 'x'"),
      problems: [[5, 48, "loops.build[0].when", 'a task has no "name"; a task has id, title, description']],
    },
    {
      mistake: "a step's value in the condition of an artifact",
      text: artifact("id: spec, type: markdown, path: a.md, condition: outputs.plan != null"),
      problems: [
        [
          ...([5, 58, "critical_artifacts.always_load[0].condition"] as const),
          "column 1: outputs is only available in the when of a step or sub-step",
        ],
      ],
    },
  ],
  "the file": [
    {
      mistake: "an empty file",
      text: "",
      problems: [[1, 1, "", "the workflow is empty; a workflow is a map with name, description and steps"]],
    },
    {
      mistake: "a file of comments",
      text: "# to do\n",
      problems: [[1, 1, "", "the workflow is empty; a workflow is a map with name, description and steps"]],
    },
    {
      mistake: "a list where a workflow is expected",
      text: "- id: plan\n",
      problems: [[1, 1, "", "a workflow is a map with name, description and steps, not a list"]],
    },
    {
      mistake: "a text where a workflow is expected",
      text: "Build a feature\n",
      problems: [[1, 1, "", 'a workflow is a map with name, description and steps, not "Build a feature"']],
    },
    {
      mistake: "a number where a workflow is expected",
      text: "42\n",
      problems: [[1, 1, "", "a workflow is a map with name, description and steps, not the number 42"]],
    },
    {
      mistake: "bytes that are not UTF-8",
      text: Buffer.concat([Buffer.from("name: caf"), Buffer.from([0xe9]), Buffer.from("\n")]),
      problems: [[1, 10, "", "the file is not UTF-8 text; save it as UTF-8"]],
    },
    {
      mistake: "bytes that are not UTF-8, on a later line",
      text: Buffer.concat([Buffer.from("name: feature\ndescription: "), Buffer.from([0xc3, 0x28])]),
      problems: [[2, 14, "", "the file is not UTF-8 text; save it as UTF-8"]],
    },
    {
      mistake: "a UTF-16 file",
      text: Buffer.from("\uFEFFname: feature\n", "utf16le"),
      problems: [[1, 1, "", "the file is UTF-16; save it as UTF-8"]],
    },
    {
      mistake: "a UTF-16 file without its mark",
      text: Buffer.from("name: feature\n", "utf16le"),
      problems: [[1, 2, "", "the file contains the control character U+0000; a workflow is plain text"]],
    },
    {
      mistake: "NUL bytes",
      text: "name: feature\ndescription: a\0b\n",
      problems: [[2, 15, "", "the file contains the control character U+0000; a workflow is plain text"]],
    },
    {
      mistake: "an escape character",
      text: "name: feature\ndescription: \u001b[31mred\n",
      problems: [[2, 14, "", "the file contains the control character U+001B; a workflow is plain text"]],
    },
    {
      mistake: "five megabytes of YAML",
      text: "key: value\n".repeat(500_000),
      problems: [[1, 1, "", "the file is larger than 256 KiB"]],
    },
    {
      mistake: "five megabytes of bytes",
      text: Buffer.alloc(5_000_000, "x"),
      problems: [[1, 1, "", "the file is larger than 256 KiB"]],
    },
    {
      mistake: "lists in lists in lists",
      text: "- ".repeat(50_000),
      problems: [[1, 201, "", "the file is nested too deeply"]],
    },
    {
      mistake: "maps that are indented a hundred times",
      text: Array.from({ length: 101 }, (_, depth) => `${" ".repeat(depth)}a:\n`).join(""),
      problems: [[101, 101, "", "the file is nested too deeply"]],
    },
  ],
  YAML: [
    {
      mistake: "a bracket that is never closed",
      text: "name: [feature\ndescription: Build it\n",
      problems: [[2, 1, "", "invalid YAML: a closing ] is missing"]],
    },
    {
      mistake: "a brace that is never closed",
      text: `${head}steps:\n  - { id: plan, type: action\n  - { id: build, type: action }\n`,
      problems: [[5, 3, "", "invalid YAML: a closing } is missing"]],
    },
    {
      mistake: "a quotation mark that is never closed",
      text: "name: 'feature\ndescription: Build it\n",
      problems: [[1, 7, "", "invalid YAML: a closing ' is missing"]],
    },
    {
      mistake: "a tab as indentation",
      text: `${head}steps:\n\t- id: plan\n`,
      problems: [[4, 1, "", "invalid YAML: indent with spaces, not with tabs"]],
    },
    {
      mistake: "a colon in plain text, twice",
      text: `${head}steps:\n  - id: plan\n    type: action\n    instructions: Do this: that\n    phase: Design: early\n`,
      problems: [
        [6, 19, "", "invalid YAML: text with a colon in it must be in quotes; or is the next line indented too far?"],
        [7, 12, "", "invalid YAML: text with a colon in it must be in quotes; or is the next line indented too far?"],
      ],
    },
    {
      mistake: "a key without a colon",
      text: "name: feature\ndescription\nsteps: []\n",
      problems: [[2, 1, "", "invalid YAML: a key needs a colon and a space after it, on the same line"]],
    },
    {
      mistake: "a placeholder at the beginning of plain text",
      text: `${head}steps:\n  - id: plan\n    type: action\n    instructions: {run.summary} is the task\n`,
      problems: [[6, 33, "", "invalid YAML: the value ends before this; put the whole text in quotes"]],
    },
    {
      mistake: "an @ at the beginning of plain text",
      text: top("required_reading: [@docs/plan.md]"),
      problems: [[3, 20, "", "invalid YAML: text that begins with @ must be in quotes"]],
    },
    {
      mistake: "a backtick at the beginning of plain text",
      text: top("key_reminders: [`npm test`]"),
      problems: [[3, 17, "", "invalid YAML: text that begins with ` must be in quotes"]],
    },
    {
      mistake: "a key indented wrongly",
      text: `${head}steps:\n  - id: plan\n   type: action\n`,
      problems: [[5, 1, "", "invalid YAML: sequence item without - indicator"]],
    },
    {
      mistake: "an unknown escape",
      text: 'name: "a\\qb"\ndescription: Build it\n',
      problems: [[1, 9, "", "invalid YAML: invalid escape sequence \\q"]],
    },
    {
      mistake: "a duplicate key at the top",
      text: `name: feature\n${head}${plan}`,
      problems: [[2, 1, "name", 'invalid YAML: the key "name" occurs twice; keep one of them']],
    },
    {
      mistake: "a duplicate key in a step",
      text: step("id: plan, type: action, instructions: Plan it, id: again"),
      problems: [[4, 54, "steps[0].id", 'invalid YAML: the key "id" occurs twice; keep one of them']],
    },
    {
      mistake: "a duplicate variable that is written differently",
      text: top('variables: { count: 1, "count": 2 }'),
      problems: [[3, 24, "variables.count", 'invalid YAML: the key "count" occurs twice; keep one of them']],
    },
    {
      mistake: "several documents",
      text: `${top("hold: true")}---\nname: other\n`,
      problems: [[6, 1, "", "the file has several YAML documents; a workflow is one document"]],
    },
    {
      mistake: "an unknown tag",
      text: "name: !custom feature\ndescription: Build it\n",
      problems: [
        [1, 7, "", "invalid YAML: tags (!) are not supported; write the plain value, or put the text in quotes"],
      ],
    },
    {
      mistake: "a tag of older YAML",
      text: `${head}steps: !!set { plan, build }\n`,
      problems: [
        [3, 8, "", "invalid YAML: tags (!) are not supported; write the plain value, or put the text in quotes"],
      ],
    },
    {
      mistake: "a list as a key",
      text: top("? [a, b]\n: c"),
      problems: [[3, 3, "", "invalid YAML: a key must be plain text; put it in quotes"]],
    },
    {
      mistake: "a number as the name of a variable",
      text: top("variables: { 1: one }"),
      problems: [
        [
          3,
          14,
          "variables.1",
          'must be a plain name (letters, digits and _, no digit first, at most 64 characters), not "1"',
        ],
      ],
    },
    {
      mistake: "an empty key",
      text: top("variables: { : one }"),
      problems: [
        [
          3,
          13,
          'variables[""]',
          'must be a plain name (letters, digits and _, no digit first, at most 64 characters), not ""',
        ],
      ],
    },
    {
      mistake: "a merge key",
      text: `${head}steps:\n  - &plan { id: plan, type: action, instructions: Plan it }\n  - <<: *plan\n    id: again\n`,
      problems: [[5, 5, 'steps[1]["<<"]', "invalid YAML: merge keys (<<) are not supported; write the keys out"]],
    },
    {
      mistake: "a glob that YAML takes for an alias",
      text: gate("[{ exists: *.md }]"),
      problems: [
        [
          4,
          71,
          "steps[0].gate[0].exists",
          "invalid YAML: the alias *.md is not defined; put text that begins with * in quotes",
        ],
      ],
    },
    {
      mistake: "globs beyond the limits",
      text: gate(`[{ exists: [a.md, "!(b).md"] }, { exists: ${"x".repeat(501)} }]`),
      problems: [
        [4, 71, "steps[0].gate[0].exists", "has !(...), which is not supported; name what must exist instead"],
        [4, 102, "steps[0].gate[1].exists", "is longer than 500 characters"],
      ],
    },
    {
      mistake: "an alias for nothing",
      text: "name: *feature\ndescription: Build it\n",
      problems: [
        [1, 7, "name", "invalid YAML: the alias *feature is not defined; put text that begins with * in quotes"],
      ],
    },
    {
      mistake: "an alias that stands before its anchor",
      text: `${head}type: *type\nvariables: { a: &type custom }\n${plan}`,
      problems: [[3, 7, "type", "invalid YAML: the alias *type is not defined; put text that begins with * in quotes"]],
    },
    {
      mistake: "an alias inside of what it names",
      text: top("variables: &all { a: *all }"),
      problems: [[3, 22, "variables.a", "invalid YAML: the alias *all refers to a value that contains it"]],
    },
    {
      mistake: "a step that contains all steps",
      text: `${head}steps: &all\n  - { id: plan, type: action, instructions: Plan it, gate: *all }\n`,
      problems: [[4, 60, "steps[0].gate", "invalid YAML: the alias *all refers to a value that contains it"]],
    },
    {
      mistake: "aliases that explode",
      text: `a: &a [x, x, x, x, x, x, x, x, x]\n${["b", "c", "d", "e", "f", "g"].map((name, index) => `${name}: &${name} [${`*${"abcdef"[index]}, `.repeat(9)}]\n`).join("")}`,
      problems: [[1, 1, "", "invalid YAML: aliases are used more than 100 times"]],
    },
    {
      mistake: "more than a hundred aliases",
      text: `${head}variables: { a: &a 1 }\nsteps:\n${"  - *a\n".repeat(101)}`,
      problems: [[105, 5, "steps[100]", "invalid YAML: aliases are used more than 100 times"]],
    },
    {
      mistake: "an unknown directive",
      text: `%FOO bar\n---\n${top("hold: true")}`,
      problems: [[1, 1, "", "invalid YAML: unknown directive %FOO"]],
    },
    {
      mistake: "a version of YAML that does not exist",
      text: `%YAML 3.0\n---\n${top("hold: true")}`,
      problems: [[1, 7, "", "invalid YAML: unsupported YAML version 3.0"]],
    },
    {
      mistake: "a comma missing in JSON",
      text: '{ "name": "feature" "description": "Build it" }\n',
      problems: [[1, 11, "", "invalid YAML: is a comma missing between the brackets?"]],
    },
    {
      mistake: "conflict markers",
      text: `${head}<<<<<<< HEAD\nhold: true\n>>>>>>> main\n${plan}`,
      problems: [
        [3, 1, "", "invalid YAML: a key needs a colon and a space after it, on the same line"],
        [5, 1, "", "invalid YAML: a key needs a colon and a space after it, on the same line"],
        [6, 1, "", "invalid YAML: block scalar values in collections must be indented"],
      ],
    },
  ],
  "the workflow": [
    {
      mistake: "no name",
      text: `description: Build it\n${plan}`,
      problems: [[1, 1, "name", "is missing; it must be text"]],
    },
    {
      mistake: "no description",
      text: `name: feature\n${plan}`,
      problems: [[1, 1, "description", "is missing; it must be text"]],
    },
    {
      mistake: "no steps",
      text: head,
      problems: [[1, 1, "steps", "is missing; it must be a list"]],
    },
    {
      mistake: "name, description and steps left empty",
      text: "name:\ndescription:\nsteps:\n",
      problems: [
        [1, 1, "name", "is empty; it must be text"],
        [2, 1, "description", "is empty; it must be text"],
        [3, 1, "steps", "is empty; it must be a list"],
      ],
    },
    {
      mistake: "an empty list of steps",
      text: `${head}steps: []\n`,
      problems: [[3, 8, "steps", "must have at least one step"]],
    },
    {
      mistake: "steps as a map",
      text: `${head}steps: { plan: { type: action, instructions: Plan it } }\n`,
      problems: [[3, 8, "steps", "must be a list, not a map"]],
    },
    {
      mistake: "a number as name",
      text: `name: 3\ndescription: Build it\n${plan}`,
      problems: [[1, 7, "name", "must be text, not the number 3; put it in quotes"]],
    },
    {
      mistake: "a blank name",
      text: `name: ' '\ndescription: Build it\n${plan}`,
      problems: [[1, 7, "name", "must not be empty"]],
    },
    {
      mistake: "a list as description",
      text: `name: feature\ndescription: [Build, it]\n${plan}`,
      problems: [[2, 14, "description", "must be text, not a list"]],
    },
    {
      mistake: "a misspelt key",
      text: `${head}stpes:\n  - { id: plan, type: action, instructions: Plan it }\n`,
      problems: [[3, 1, "stpes", 'unknown key "stpes"; did you mean steps?']],
    },
    {
      mistake: "a key that nothing resembles",
      text: top("banana: 1"),
      problems: [
        [
          3,
          1,
          "banana",
          'unknown key "banana"; known keys: name, description, use_when, type, agents, variables, required_reading, key_reminders, critical_artifacts, hold, budget, transitions, loops, steps, extends and 1 more',
        ],
      ],
    },
    {
      mistake: "an unknown key that is left empty",
      text: top("banana:"),
      problems: [
        [
          3,
          1,
          "banana",
          'unknown key "banana"; known keys: name, description, use_when, type, agents, variables, required_reading, key_reminders, critical_artifacts, hold, budget, transitions, loops, steps, extends and 1 more',
        ],
      ],
    },
    {
      mistake: "an unknown type, near a known one",
      text: top("type: planing"),
      problems: [
        [
          3,
          7,
          "type",
          '"planing" is not a workflow type; use planning, qa-loop, implementation or custom; did you mean planning?',
        ],
      ],
    },
    {
      mistake: "an unknown type",
      text: top("type: banana"),
      problems: [[3, 7, "type", '"banana" is not a workflow type; use planning, qa-loop, implementation or custom']],
    },
    {
      mistake: "a number as type",
      text: top("type: 3"),
      problems: [[3, 7, "type", "must be planning, qa-loop, implementation or custom, not the number 3"]],
    },
    {
      mistake: "a text for hold",
      text: top('hold: "yes"'),
      problems: [[3, 7, "hold", 'must be true or false, not "yes"']],
    },
    {
      mistake: "required reading that is no list",
      text: top("required_reading: docs/plan.md"),
      problems: [[3, 19, "required_reading", 'must be a list, not "docs/plan.md"']],
    },
    {
      mistake: "a number in required reading",
      text: top("required_reading: [docs/plan.md, 3]"),
      problems: [[3, 34, "required_reading[1]", "must be text, not the number 3; put it in quotes"]],
    },
    {
      mistake: "an empty entry in required reading",
      text: top("required_reading:\n  - docs/plan.md\n  -"),
      problems: [[5, 4, "required_reading[1]", "is empty; it must be text"]],
    },
    {
      mistake: "a blank reminder",
      text: top("key_reminders: ['  ']"),
      problems: [[3, 17, "key_reminders[0]", "must not be empty"]],
    },
    {
      mistake: "reminders as a map",
      text: top("key_reminders: { test: always }"),
      problems: [[3, 16, "key_reminders", "must be a list, not a map"]],
    },
    {
      mistake: "a key of a step at the top",
      text: top("context: clear"),
      problems: [
        [
          3,
          1,
          "context",
          'unknown key "context"; known keys: name, description, use_when, type, agents, variables, required_reading, key_reminders, critical_artifacts, hold, budget, transitions, loops, steps, extends and 1 more',
        ],
      ],
    },
  ],
  "commands in variables": [
    {
      mistake: "a command that names a misspelt variable",
      text: gateWith("{ check: { type: command, default: npm test } }", "[{ command: chek }]"),
      problems: [[5, 72, "steps[0].gate[0].command", '"chek" is not a variable; did you mean check?']],
    },
    {
      mistake: "a command that names no variable at all",
      text: gateWith("{ a: 1 }", "[{ command: npm }]"),
      problems: [
        [5, 72, "steps[0].gate[0].command", '"npm" is not a variable; variables has a; a command line goes under run'],
      ],
    },
    {
      mistake: "a command line where a variable is named",
      text: gateWith("{ a: 1 }", "[{ command: npm test }]"),
      problems: [
        [
          ...([5, 72, "steps[0].gate[0].command"] as const),
          'must be a plain name (letters, digits and _, no digit first, at most 64 characters), not "npm test"',
        ],
      ],
    },
    {
      mistake: "a text that is to be executed",
      text: gateWith("{ a: { type: text, default: x } }", "[{ command: a }]"),
      problems: [
        [
          ...([5, 72, "steps[0].gate[0].command"] as const),
          'the variable "a" is of type text; only one of type command can be executed',
        ],
      ],
    },
    {
      mistake: "a variable without a type that is to be executed",
      text: gateWith("{ a: npm test }", "[{ command: a }]"),
      problems: [
        [
          ...([5, 72, "steps[0].gate[0].command"] as const),
          'the variable "a" has no type; only one of type command can be executed',
        ],
      ],
    },
    {
      mistake: "a command that may have no value",
      text: gateWith("{ a: { type: command } }", "[{ command: a }]"),
      problems: [
        [
          ...([5, 72, "steps[0].gate[0].command"] as const),
          'the variable "a" may have no value; give it a default or required: true',
        ],
      ],
    },
    ...[
      "$HOLDFAST_VAR_A --all",
      `'"\${HOLDFAST_VAR_A}"'`,
      "'eval \"$HOLDFAST_VAR_A\"'",
      "[sh, -c, $HOLDFAST_VAR_A]",
    ].map(
      (run): Mistake => ({
        mistake: `a command that executes a variable: ${run}`,
        text: gateWith("{ a: 1 }", `[{ run: ${run} }]`),
        problems: [
          [
            ...([5, 68, "steps[0].gate[0].run"] as const),
            "must not begin with a variable, which would be executed; declare a with type: command and write command: a",
          ],
        ],
      }),
    ),
    {
      mistake: "a command and a command line in one check",
      text: gateWith("{ a: { type: command, default: x } }", "[{ command: a, run: npm test }]"),
      problems: [[5, 61, "steps[0].gate[0]", "has command and run; write a separate entry for each"]],
    },
  ],
  "variables with a type": [
    {
      mistake: "a variable with conditions but no type",
      text: variable("{ required: true }"),
      problems: [[4, 6, "variables.a.type", "is missing; use text, number, flag, choice, path or command"]],
    },
    {
      mistake: "a misspelt type of variable",
      text: variable("{ type: txt, choices: [x] }"),
      problems: [
        [
          4,
          14,
          "variables.a.type",
          '"txt" is not a variable type; use text, number, flag, choice, path or command; did you mean text?',
        ],
      ],
    },
    {
      mistake: "a misspelt key of a variable",
      text: variable("{ type: text, requird: true }"),
      problems: [[4, 20, "variables.a.requird", 'unknown key "requird"; did you mean required?']],
    },
    {
      mistake: "a word where required is true or false",
      text: variable('{ type: text, required: "yes" }'),
      problems: [[4, 30, "variables.a.required", 'must be true or false, not "yes"']],
    },
    {
      mistake: "a choice without choices",
      text: variable("{ type: choice, default: a }"),
      problems: [[4, 6, "variables.a", "a variable of type choice needs choices"]],
    },
    {
      mistake: "an empty list of choices",
      text: variable("{ type: choice, choices: [] }"),
      problems: [[4, 31, "variables.a.choices", "must name at least one choice"]],
    },
    {
      mistake: "a number among the choices",
      text: variable("{ type: choice, choices: [quick, 2] }"),
      problems: [[4, 39, "variables.a.choices[1]", "must be text, not the number 2; put it in quotes"]],
    },
    {
      mistake: "a choice that is named twice",
      text: variable("{ type: choice, choices: [quick, full, quick] }"),
      problems: [[4, 45, "variables.a.choices[2]", '"quick" is named twice']],
    },
    {
      mistake: "choices for another type",
      text: variable("{ type: text, choices: [a, b] }"),
      problems: [
        [4, 29, "variables.a.choices", "a variable of type text cannot have choices; only one of type choice can"],
      ],
    },
    {
      mistake: "a default that is not one of the choices",
      text: variable("{ type: choice, choices: [quick, full], default: ful }"),
      problems: [[4, 55, "variables.a.default", 'must be quick or full, not "ful"; did you mean full?']],
    },
    {
      mistake: "a default that is no number",
      text: variable("{ type: number, default: many }"),
      problems: [[4, 31, "variables.a.default", 'must be a number, not "many"']],
    },
    {
      mistake: "a number in quotes",
      text: variable('{ type: number, default: "3" }'),
      problems: [[4, 31, "variables.a.default", 'must be the number 3, not "3"']],
    },
    {
      mistake: "a text without its quotes",
      text: variable("{ type: text, default: 3 }"),
      problems: [[4, 29, "variables.a.default", "must be text, not the number 3; put it in quotes"]],
    },
    {
      mistake: "a default that is neither true nor false",
      text: variable("{ type: flag, default: maybe }"),
      problems: [[4, 29, "variables.a.default", 'must be true or false, not "maybe"']],
    },
    {
      mistake: "a default that does not match the pattern",
      text: variable("{ type: text, pattern: '[A-Z]+-[0-9]+', default: eng-1 }"),
      problems: [[4, 55, "variables.a.default", 'must match [A-Z]+-[0-9]+, not "eng-1"']],
    },
    {
      mistake: "a default path that leads out of the project",
      text: variable("{ type: path, default: ../x }"),
      problems: [[4, 29, "variables.a.default", 'must be a relative path inside the project, not "../x"']],
    },
    {
      mistake: "an empty command as default",
      text: variable("{ type: command, default: '' }"),
      problems: [[4, 32, "variables.a.default", "must not be empty"]],
    },
    {
      mistake: "a required variable with a default",
      text: variable("{ type: text, required: true, default: x }"),
      problems: [
        [4, 30, "variables.a.required", "a variable with a default is never missing; remove required or default"],
      ],
    },
    {
      mistake: "a pattern for a number",
      text: variable("{ type: number, pattern: '[0-9]+' }"),
      problems: [
        [4, 31, "variables.a.pattern", "a variable of type number cannot have a pattern; only text or path can"],
      ],
    },
    {
      mistake: "a pattern that is too long",
      text: variable(
        "{ type: text, pattern: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa }",
      ),
      problems: [[4, 29, "variables.a.pattern", "must have at most 200 characters"]],
    },
    {
      mistake: "a class that is not closed in a pattern",
      text: variable("{ type: text, pattern: 'x[A-Z' }"),
      problems: [[4, 31, "variables.a.pattern", "column 2: the class that begins here has no closing ]"]],
    },
    {
      mistake: "a group that is not closed in a pattern",
      text: variable("{ type: text, pattern: '(ab' }"),
      problems: [[4, 30, "variables.a.pattern", "column 1: the group that begins here has no closing )"]],
    },
    {
      mistake: "a lookahead in a pattern",
      text: variable("{ type: text, pattern: 'a(?=b)' }"),
      problems: [
        [
          4,
          31,
          "variables.a.pattern",
          'column 2: "(?=" is not supported; a pattern has no lookaround and no references',
        ],
      ],
    },
    {
      mistake: "a reference in a pattern",
      text: variable("{ type: text, pattern: '(a)\\1' }"),
      problems: [
        [
          4,
          33,
          "variables.a.pattern",
          'column 4: "\\\\1" is not supported; a pattern has no lookaround and no references',
        ],
      ],
    },
    {
      mistake: "a repetition of nothing in a pattern",
      text: variable("{ type: text, pattern: 'x|*' }"),
      problems: [
        [4, 32, "variables.a.pattern", 'column 3: "*" has nothing to apply to here; for the character, write \\*'],
      ],
    },
    {
      mistake: "a repetition of a repetition in a pattern",
      text: variable("{ type: text, pattern: 'x+*' }"),
      problems: [[4, 32, "variables.a.pattern", "column 3: two repetitions in a row; put one in parentheses"]],
    },
    {
      mistake: "a range that goes backwards in a pattern",
      text: variable("{ type: text, pattern: '[z-a]' }"),
      problems: [[4, 31, "variables.a.pattern", 'column 2: "z-a" is not a range of characters']],
    },
    {
      mistake: "a pattern that would grow too large",
      text: variable("{ type: text, pattern: '((x{100}){100})' }"),
      problems: [[4, 30, "variables.a.pattern", "column 1: repeats too much; use smaller numbers"]],
    },
    {
      mistake: "a description of two lines",
      text: variable('{ type: text, description: "a\\nb" }'),
      problems: [[4, 33, "variables.a.description", "must be one line without control characters"]],
    },
  ],
  "agents and variables": [
    {
      mistake: "agents as a list",
      text: top("agents: [writer]"),
      problems: [[3, 9, "agents", "must be a map of names and values, not a list"]],
    },
    {
      mistake: "an agent without a description",
      text: `${head}agents: { writer: {} }\nsteps:\n  - { id: plan, type: action, instructions: Plan it, agent: writer }\n`,
      problems: [[3, 19, "agents.writer.description", "is missing; it must be text"]],
    },
    {
      mistake: "an agent that is left empty",
      text: `${head}agents: { writer: }\nsteps:\n  - { id: plan, type: action, instructions: Plan it, agent: writer }\n`,
      problems: [[3, 11, "agents.writer", "is empty; it must be a map of keys and values"]],
    },
    {
      mistake: "an agent that is only a text",
      text: top("agents: { writer: writes code }"),
      problems: [[3, 19, "agents.writer", 'must be a map of keys and values, not "writes code"']],
    },
    {
      mistake: "tools of an agent as text",
      text: `${head}agents: { writer: { description: writes, tools: read } }\nsteps:\n  - { id: plan, type: action, instructions: Plan it, agent: writer }\n`,
      problems: [[3, 49, "agents.writer.tools", 'must be a list, not "read"']],
    },
    {
      mistake: "a misspelt key of an agent",
      text: `${head}agents: { writer: { description: writes, cant: [commit] } }\nsteps:\n  - { id: plan, type: action, instructions: Plan it, agent: writer }\n`,
      problems: [
        [
          3,
          42,
          "agents.writer.cant",
          'unknown key "cant"; known keys: description, model, effort, tools, permissions, cannot',
        ],
      ],
    },
    {
      mistake: "an unknown key of an agent",
      text: `${head}agents: { writer: { description: writes, colour: red } }\nsteps:\n  - { id: plan, type: action, instructions: Plan it, agent: writer }\n`,
      problems: [
        [
          3,
          42,
          "agents.writer.colour",
          'unknown key "colour"; known keys: description, model, effort, tools, permissions, cannot',
        ],
      ],
    },
    {
      mistake: "an unknown agent on a step",
      text: step("id: plan, type: action, instructions: Plan it, agent: bob"),
      problems: [[4, 61, "steps[0].agent", 'step "plan" names the agent "bob", which is not under agents']],
    },
    {
      mistake: "a misspelt agent on a step",
      text: `${head}agents: { implementer: { description: writes } }\nsteps:\n  - { id: plan, type: action, instructions: Plan it, agent: implementor }\n`,
      problems: [
        [
          5,
          61,
          "steps[0].agent",
          'step "plan" names the agent "implementor", which is not under agents; did you mean implementer?',
        ],
      ],
    },
    {
      mistake: "an unknown agent on a sub-step",
      text: `${head}agents: { writer: { description: writes } }\nloops:\n  build:\n    - { id: code, instructions: Code it, agent: bob }\nsteps:\n  - { id: build, type: loop, agent: writer }\n`,
      problems: [
        [
          6,
          49,
          "loops.build[0].agent",
          'sub-step "build.code" names the agent "bob", which is not under agents; agents has writer',
        ],
      ],
    },
    {
      mistake: "an agent on a step without an id",
      text: step("type: action, instructions: Plan it, agent: bob"),
      problems: [
        [4, 5, "steps[0].id", "is missing; it must be text"],
        [4, 51, "steps[0].agent", 'this step names the agent "bob", which is not under agents'],
      ],
    },
    {
      mistake: "a misspelt heading, with steps that name what is under it",
      text: `${head}agent: { bob: { description: writes } }\nsteps:\n  - { id: plan, type: action, instructions: Plan it, agent: bob }\n`,
      problems: [[3, 1, "agent", 'unknown key "agent"; did you mean agents?']],
    },
    {
      mistake: "a variable that is a map",
      text: top("variables: { plan: { number: 1 } }"),
      problems: [
        [3, 20, "variables.plan.type", "is missing; use text, number, flag, choice, path or command"],
        [
          3,
          22,
          "variables.plan.number",
          'unknown key "number"; known keys: type, required, default, description, choices, pattern',
        ],
      ],
    },
    {
      mistake: "a variable that is a list",
      text: top("variables: { plans: [1, 2] }"),
      problems: [[3, 21, "variables.plans", "must be text, a number, true or false, or a map with a type, not a list"]],
    },
    {
      mistake: "a variable that is left empty",
      text: top("variables: { plan: }"),
      problems: [[3, 14, "variables.plan", "is empty; it must be text, a number, true or false, or a map with a type"]],
    },
    {
      mistake: "a variable that is no number",
      text: top("variables: { plan: .nan }"),
      problems: [[3, 20, "variables.plan", "must be text, a number, true or false, or a map with a type, not NaN"]],
    },
    {
      mistake: "a variable with more text than fits",
      text: top(`variables: { plan: ${"x".repeat(10_001)} }`),
      problems: [[3, 20, "variables.plan", "must have at most 10,000 characters"]],
    },
    {
      mistake: "a variable with a dash in its name",
      text: top("variables: { plan-number: 1 }"),
      problems: [
        [
          3,
          14,
          "variables.plan-number",
          'must be a plain name (letters, digits and _, no digit first, at most 64 characters), not "plan-number"',
        ],
      ],
    },
    {
      mistake: "variables as a list",
      text: top("variables: [plan]"),
      problems: [[3, 12, "variables", "must be a map of names and values, not a list"]],
    },
  ],
  "reserved names": [
    {
      mistake: "an agent named __proto__",
      text: top("agents: { __proto__: { description: writes } }"),
      problems: [[3, 11, "agents.__proto__", '"__proto__" is a reserved name; use another']],
    },
    {
      mistake: "an agent named constructor",
      text: top("agents: { constructor: { description: writes } }"),
      problems: [[3, 11, "agents.constructor", '"constructor" is a reserved name; use another']],
    },
    {
      mistake: "a loop named __proto__",
      text: top("loops: { __proto__: [{ id: code, instructions: Code it }] }"),
      problems: [[3, 10, "loops.__proto__", '"__proto__" is a reserved name; use another']],
    },
    {
      mistake: "a loop named constructor, used",
      text: `${head}loops: { constructor: [{ id: code, instructions: Code it }] }\nsteps:\n  - { id: constructor, type: loop }\n`,
      problems: [
        [3, 10, "loops.constructor", '"constructor" is a reserved name; use another'],
        [5, 11, "steps[0].id", '"constructor" is a reserved name; use another'],
      ],
    },
    {
      mistake: "variables named after parts of an object",
      text: top("variables: { constructor: 1, __proto__: 2, prototype: 3 }"),
      problems: [
        [3, 14, "variables.constructor", '"constructor" is a reserved name; use another'],
        [3, 30, "variables.__proto__", '"__proto__" is a reserved name; use another'],
        [3, 44, "variables.prototype", '"prototype" is a reserved name; use another'],
      ],
    },
    {
      mistake: "an outcome named __proto__",
      text: step("id: plan, type: action, instructions: Plan it, outcomes: { __proto__: next }"),
      problems: [[4, 66, "steps[0].outcomes.__proto__", '"__proto__" is a reserved name; use another']],
    },
    {
      mistake: "an outcome that leads to __proto__",
      text: step("id: plan, type: action, instructions: Plan it, outcomes: { done: __proto__ }"),
      problems: [[4, 72, "steps[0].outcomes.done", '"__proto__" is a reserved name; use another']],
    },
    {
      mistake: "an outcome that leads to constructor",
      text: step("id: plan, type: action, instructions: Plan it, outcomes: { done: constructor }"),
      problems: [[4, 72, "steps[0].outcomes.done", '"constructor" is a reserved name; use another']],
    },
    {
      mistake: "a step named __proto__",
      text: step("id: __proto__, type: action, instructions: Plan it"),
      problems: [[4, 11, "steps[0].id", '"__proto__" is a reserved name; use another']],
    },
    {
      mistake: "a sub-step named constructor",
      text: subStep("id: constructor, instructions: Code it"),
      problems: [[5, 13, "loops.build[0].id", '"constructor" is a reserved name; use another']],
    },
    {
      mistake: "a loop step named constructor",
      text: step("id: constructor, type: loop"),
      problems: [[4, 11, "steps[0].id", '"constructor" is a reserved name; use another']],
    },
    {
      mistake: "an agent named constructor, on a step",
      text: step("id: plan, type: action, instructions: Plan it, agent: constructor"),
      problems: [[4, 61, "steps[0].agent", '"constructor" is a reserved name; use another']],
    },
    {
      mistake: "__proto__ as a key of the workflow",
      text: top("__proto__: { hold: true }"),
      problems: [[3, 1, "__proto__", '"__proto__" is a reserved name; use another']],
    },
    {
      mistake: "__proto__ as a key of a step",
      text: step("id: plan, type: action, instructions: Plan it, __proto__: { n: 1 }"),
      problems: [[4, 54, "steps[0].__proto__", '"__proto__" is a reserved name; use another']],
    },
    {
      mistake: "placeholders that reach into an object",
      text: step("id: plan, type: action, instructions: '{vars.constructor} {outputs.__proto__} {run.toString}'"),
      problems: [
        [4, 46, "steps[0].instructions", "{vars.constructor} is unknown; variables has none"],
        [4, 65, "steps[0].instructions", "{outputs.__proto__} is unknown; the steps are plan"],
        [4, 85, "steps[0].instructions", "{run.toString} is unknown; a run has id, summary, request"],
      ],
    },
  ],
  steps: [
    {
      mistake: "a text as step",
      text: `${head}steps: [plan]\n`,
      problems: [[3, 9, "steps[0]", 'must be a map of keys and values, not "plan"']],
    },
    {
      mistake: "a step that is left empty",
      text: `${head}steps:\n  -\n`,
      problems: [[4, 4, "steps[0]", "is empty; it must be a map of keys and values"]],
    },
    {
      mistake: "a list as step",
      text: `${head}steps:\n  - [plan]\n`,
      problems: [[4, 5, "steps[0]", "must be a map of keys and values, not a list"]],
    },
    {
      mistake: "an unknown type of step, near a known one",
      text: step("id: plan, type: acton, instructions: Plan it"),
      problems: [
        [
          4,
          23,
          "steps[0].type",
          'step "plan" has "acton" as its type; use action, loop, ralph or command; did you mean action?',
        ],
      ],
    },
    {
      mistake: "an unknown type of step",
      text: step("id: plan, type: parallel, instructions: Plan it"),
      problems: [
        [4, 23, "steps[0].type", 'step "plan" has "parallel" as its type; use action, loop, ralph or command'],
      ],
    },
    {
      mistake: "an unknown type, and other mistakes in the same step",
      text: step("id: plan, type: ralf, instructions: Plan it, context: cler"),
      problems: [
        [4, 23, "steps[0].type", 'step "plan" has "ralf" as its type; use action, loop, ralph or command'],
        [4, 61, "steps[0].context", '"cler" is not a context action; use compact or clear; did you mean clear?'],
      ],
    },
    {
      mistake: "a number as type of a step",
      text: step("id: plan, type: 3, instructions: Plan it"),
      problems: [
        [4, 23, "steps[0].type", 'step "plan" has the number 3 as its type; use action, loop, ralph or command'],
      ],
    },
    {
      mistake: "a type that is left empty",
      text: step("id: plan, type: , instructions: Plan it"),
      problems: [[4, 17, "steps[0].type", 'is empty in step "plan"; use action, loop, ralph or command']],
    },
    {
      mistake: "no type",
      text: step("id: plan, instructions: Plan it"),
      problems: [[4, 5, "steps[0].type", 'is missing in step "plan"; use action, loop, ralph or command']],
    },
    {
      mistake: "no type, and other mistakes in the same step",
      text: step("instructions: 3, gate: {}, colour: red"),
      problems: [
        [4, 5, "steps[0].type", "is missing; use action, loop, ralph or command"],
        [4, 5, "steps[0].id", "is missing; it must be text"],
        [4, 21, "steps[0].instructions", "must be text, not the number 3; put it in quotes"],
        [4, 30, "steps[0].gate", "must be a list, not a map"],
        [
          4,
          34,
          "steps[0].colour",
          'unknown key "colour"; known keys: id, agent, context, on_fail, max_retries, when, budget, model, effort, tools, permissions, phase, artefacts, type, instructions and 9 more',
        ],
      ],
    },
    {
      mistake: "no id",
      text: step("type: action, instructions: Plan it"),
      problems: [[4, 5, "steps[0].id", "is missing; it must be text"]],
    },
    {
      mistake: "a number as id",
      text: step("id: 3, type: action, instructions: Plan it"),
      problems: [[4, 11, "steps[0].id", "must be text, not the number 3; put it in quotes"]],
    },
    {
      mistake: "an empty id",
      text: step("id: '', type: action, instructions: Plan it"),
      problems: [[4, 11, "steps[0].id", "must not be empty"]],
    },
    {
      mistake: "a blank id",
      text: step("id: '  ', type: action, instructions: Plan it"),
      problems: [[4, 11, "steps[0].id", "must not be empty"]],
    },
    {
      mistake: "an id that begins with a space",
      text: step("id: ' plan', type: action, instructions: Plan it"),
      problems: [[4, 11, "steps[0].id", "must not begin or end with a space or a line break"]],
    },
    {
      mistake: "an id that begins with a line break",
      text: step('id: "\\nplan", type: action, instructions: Plan it'),
      problems: [[4, 11, "steps[0].id", "must not begin or end with a space or a line break"]],
    },
    {
      mistake: "an id of two lines",
      text: step('id: "plan\\nbuild", type: action, instructions: Plan it'),
      problems: [[4, 11, "steps[0].id", "must not contain invisible characters"]],
    },
    {
      mistake: "an id that turns the text around",
      text: step('id: "plan\\u202e", type: action, instructions: Plan it'),
      problems: [[4, 11, "steps[0].id", "must not contain invisible characters"]],
    },
    {
      mistake: "half a character as id",
      text: step('id: "plan\\ud83d", type: action, instructions: Plan it'),
      problems: [[4, 11, "steps[0].id", "must not contain invisible characters"]],
    },
    {
      mistake: "a very long id",
      text: step(`id: ${"x".repeat(101)}, type: action, instructions: Plan it`),
      problems: [[4, 11, "steps[0].id", "must have at most 100 characters"]],
    },
    {
      mistake: "two steps with one id, and a third",
      text: `${plan}  - { id: plan, type: action, instructions: Again }\n  - { id: plan, type: action, instructions: Again }\n${head}`,
      problems: [
        [3, 11, "steps[1].id", '"plan" is already the id of another step'],
        [4, 11, "steps[2].id", '"plan" is already the id of another step'],
      ],
    },
    {
      mistake: "an action without instructions",
      text: step("id: plan, type: action"),
      problems: [[4, 5, "steps[0].instructions", 'is missing in step "plan"; it must be text']],
    },
    {
      mistake: "a ralph step without instructions",
      text: step("id: polish, type: ralph, n: 3"),
      problems: [[4, 5, "steps[0].instructions", 'is missing in step "polish"; it must be text']],
    },
    {
      mistake: "blank instructions",
      text: step("id: plan, type: action, instructions: '  '"),
      problems: [[4, 45, "steps[0].instructions", "must not be empty"]],
    },
    {
      mistake: "instructions as a list",
      text: step("id: plan, type: action, instructions: [Plan, it]"),
      problems: [[4, 45, "steps[0].instructions", "must be text, not a list"]],
    },
    {
      mistake: "instructions that are left empty",
      text: `${head}steps:\n  - id: plan\n    type: action\n    instructions:\n`,
      problems: [[6, 5, "steps[0].instructions", 'is empty in step "plan"; it must be text']],
    },
    {
      mistake: "instructions that are misspelt",
      text: step("id: plan, type: action, instruction: Plan it"),
      problems: [[4, 31, "steps[0].instruction", 'unknown key "instruction"; did you mean instructions?']],
    },
    {
      mistake: "artefact for artefacts",
      text: step("id: plan, type: action, instructions: Plan it, artefact: true"),
      problems: [[4, 54, "steps[0].artefact", 'unknown key "artefact"; did you mean artefacts?']],
    },
    {
      mistake: "an unknown key of a step",
      text: step("id: plan, type: action, instructions: Plan it, colour: red"),
      problems: [
        [
          4,
          54,
          "steps[0].colour",
          'unknown key "colour"; known keys: id, agent, context, on_fail, max_retries, when, budget, model, effort, tools, permissions, phase, artefacts, type, instructions and 2 more',
        ],
      ],
    },
    {
      mistake: "an unknown key that is not printable",
      text: step('id: plan, type: action, instructions: Plan it, "a\\e[31m\\nb": red'),
      problems: [
        [
          4,
          54,
          'steps[0]["a\\u001b[31m\\nb"]',
          'unknown key "a\\u001b[31m\\nb"; known keys: id, agent, context, on_fail, max_retries, when, budget, model, effort, tools, permissions, phase, artefacts, type, instructions and 2 more',
        ],
      ],
    },
    {
      mistake: "a comma in plain text",
      text: step("id: plan, type: action, instructions: Plan it, then write it"),
      problems: [
        [4, 54, 'steps[0]["then write it"]', 'unknown key "then write it"; text with a comma in it must be in quotes'],
      ],
    },
    {
      mistake: "a text for artefacts",
      text: step("id: plan, type: action, instructions: Plan it, artefacts: sometimes"),
      problems: [[4, 65, "steps[0].artefacts", 'must be true or false, not "sometimes"']],
    },
    {
      mistake: "a number as phase",
      text: step("id: plan, type: action, instructions: Plan it, phase: 1"),
      problems: [[4, 61, "steps[0].phase", "must be text, not the number 1; put it in quotes"]],
    },
    {
      mistake: "a misspelt context action",
      text: step("id: plan, type: action, instructions: Plan it, context: compat"),
      problems: [
        [4, 63, "steps[0].context", '"compat" is not a context action; use compact or clear; did you mean compact?'],
      ],
    },
    {
      mistake: "an unknown context action",
      text: step("id: plan, type: action, instructions: Plan it, context: restart"),
      problems: [[4, 63, "steps[0].context", '"restart" is not a context action; use compact or clear']],
    },
    {
      mistake: "an endless context action",
      text: step(`id: plan, type: action, instructions: Plan it, context: ${"x".repeat(1_000)}`),
      problems: [
        [
          4,
          63,
          "steps[0].context",
          '"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" is not a context action; use compact or clear',
        ],
      ],
    },
    {
      mistake: "a number as context action",
      text: step("id: plan, type: action, instructions: Plan it, context: 3"),
      problems: [[4, 63, "steps[0].context", "must be compact or clear, not the number 3"]],
    },
    {
      mistake: "a context action that is left empty",
      text: `${head}steps:\n  - id: plan\n    type: action\n    instructions: Plan it\n    context:\n`,
      problems: [[7, 5, "steps[0].context", 'is empty in step "plan"; use compact or clear']],
    },
    {
      mistake: "a misspelt on_fail",
      text: step("id: plan, type: action, instructions: Plan it, on_fail: retyr"),
      problems: [
        [
          4,
          63,
          "steps[0].on_fail",
          '"retyr" is not a way to handle a failure; use retry, skip, abort or { go_to: <step> }; did you mean retry?',
        ],
      ],
    },
    {
      mistake: "an on_fail of its own",
      text: step("id: plan, type: action, instructions: Plan it, on_fail: panic"),
      problems: [
        [
          4,
          63,
          "steps[0].on_fail",
          '"panic" is not a way to handle a failure; use retry, skip, abort or { go_to: <step> }',
        ],
      ],
    },
    {
      mistake: "negative retries",
      text: step("id: plan, type: action, instructions: Plan it, on_fail: retry, max_retries: -1"),
      problems: [[4, 83, "steps[0].max_retries", "must be 0 or more"]],
    },
    {
      mistake: "retries in words",
      text: step("id: plan, type: action, instructions: Plan it, on_fail: retry, max_retries: three"),
      problems: [[4, 83, "steps[0].max_retries", 'must be a whole number, not "three"']],
    },
    {
      mistake: "until on an action",
      text: step("id: plan, type: action, instructions: Plan it, until: [{ run: npm test }]"),
      problems: [[4, 54, "steps[0].until", "a step of type action cannot have until; only a step of type ralph can"]],
    },
    {
      mistake: "n on an action",
      text: step("id: plan, type: action, instructions: Plan it, n: 3"),
      problems: [[4, 54, "steps[0].n", "a step of type action cannot have n; only a step of type ralph can"]],
    },
    {
      mistake: "no n",
      text: step("id: polish, type: ralph, instructions: Improve it"),
      problems: [[4, 5, "steps[0].n", 'is missing in step "polish"; it must be a whole number']],
    },
    {
      mistake: "parallel is 0",
      text: parallelLoop("0"),
      problems: [[6, 40, "steps[0].parallel", "must be 1 or more"]],
    },
    {
      mistake: "parallel is negative",
      text: parallelLoop("-2"),
      problems: [[6, 40, "steps[0].parallel", "must be 1 or more"]],
    },
    {
      mistake: "parallel is no whole number",
      text: parallelLoop("1.5"),
      problems: [[6, 40, "steps[0].parallel", "must be a whole number, not the number 1.5"]],
    },
    {
      mistake: "parallel is text",
      text: parallelLoop("three"),
      problems: [[6, 40, "steps[0].parallel", 'must be a whole number, not "three"']],
    },
    {
      mistake: "parallel is too many",
      text: parallelLoop("101"),
      problems: [[6, 40, "steps[0].parallel", "must be at most 100"]],
    },
    {
      mistake: "parallel on a step that is no loop",
      text: step("id: plan, type: action, instructions: Plan it, parallel: 2"),
      problems: [
        [4, 54, "steps[0].parallel", "a step of type action cannot have parallel; only a step of type loop can"],
      ],
    },
    {
      mistake: "n is 0",
      text: step("id: polish, type: ralph, instructions: Improve it, n: 0"),
      problems: [[4, 61, "steps[0].n", "must be 1 or more"]],
    },
    {
      mistake: "n is negative",
      text: step("id: polish, type: ralph, instructions: Improve it, n: -1"),
      problems: [[4, 61, "steps[0].n", "must be 1 or more"]],
    },
    {
      mistake: "n is no whole number",
      text: step("id: polish, type: ralph, instructions: Improve it, n: 2.5"),
      problems: [[4, 61, "steps[0].n", "must be a whole number, not the number 2.5"]],
    },
    {
      mistake: "n is a text",
      text: step("id: polish, type: ralph, instructions: Improve it, n: '3'"),
      problems: [[4, 61, "steps[0].n", 'must be a whole number, not "3"']],
    },
    {
      mistake: "n is endless",
      text: step("id: polish, type: ralph, instructions: Improve it, n: .inf"),
      problems: [[4, 61, "steps[0].n", "must be a whole number, not Infinity"]],
    },
    {
      mistake: "n is larger than can be counted",
      text: step("id: polish, type: ralph, instructions: Improve it, n: 1e20"),
      problems: [[4, 61, "steps[0].n", "is too large"]],
    },
  ],
  loops: [
    {
      mistake: "an empty loop",
      text: `${head}loops: { build: [] }\nsteps:\n  - { id: build, type: loop }\n`,
      problems: [[3, 17, "loops.build", "must have at least one sub-step"]],
    },
    {
      mistake: "a loop that is left empty",
      text: `${head}loops:\n  build:\nsteps:\n  - { id: build, type: loop }\n`,
      problems: [[4, 3, "loops.build", "is empty; it must be a list"]],
    },
    {
      mistake: "a loop as a map",
      text: `${head}loops: { build: { id: code, instructions: Code it } }\nsteps:\n  - { id: build, type: loop }\n`,
      problems: [[3, 17, "loops.build", "must be a list, not a map"]],
    },
    {
      mistake: "loops as a list",
      text: `${head}loops:\n  - { id: code, instructions: Code it }\nsteps:\n  - { id: build, type: loop }\n`,
      problems: [[4, 3, "loops", "must be a map of names and values, not a list"]],
    },
    {
      mistake: "a loop step and no loops at all",
      text: step("id: build, type: loop"),
      problems: [[4, 11, "steps[0].id", 'step "build" is of type loop, but loops has no "build"']],
    },
    {
      mistake: "a loop step and other loops",
      text: `${head}loops: { verify: [{ id: code, instructions: Code it }] }\nsteps:\n  - { id: build, type: loop }\n`,
      problems: [[5, 11, "steps[0].id", 'step "build" is of type loop, but loops has no "build"; loops has verify']],
    },
    {
      mistake: "a loop step that is misspelt",
      text: `${head}loops: { build: [{ id: code, instructions: Code it }] }\nsteps:\n  - { id: biuld, type: loop }\n`,
      problems: [[5, 11, "steps[0].id", 'step "biuld" is of type loop, but loops has no "biuld"; did you mean build?']],
    },
    {
      mistake: "a loop step without an id",
      text: `${head}loops: { build: [{ id: code, instructions: Code it }] }\nsteps:\n  - { type: loop }\n`,
      problems: [[5, 5, "steps[0].id", "is missing; it must be text"]],
    },
    {
      mistake: "a text as sub-step",
      text: `${head}loops: { build: [code] }\nsteps:\n  - { id: build, type: loop }\n`,
      problems: [[3, 18, "loops.build[0]", 'must be a map of keys and values, not "code"']],
    },
    {
      mistake: "a sub-step without an id",
      text: subStep("instructions: Code it"),
      problems: [[5, 7, "loops.build[0].id", "is missing; it must be text"]],
    },
    {
      mistake: "a sub-step without instructions",
      text: subStep("id: code"),
      problems: [[5, 7, "loops.build[0].instructions", 'is missing in sub-step "build.code"; it must be text']],
    },
    {
      mistake: "two sub-steps with one id",
      text: `${head}loops:\n  build:\n    - { id: code, instructions: Code it }\n    - { id: code, instructions: Again }\nsteps:\n  - { id: build, type: loop }\n`,
      problems: [[6, 13, "loops.build[1].id", '"code" is already the id of another sub-step of the loop "build"']],
    },
    {
      mistake: "a misspelt context action on a sub-step",
      text: subStep("id: code, instructions: Code it, context: claer"),
      problems: [
        [5, 51, "loops.build[0].context", '"claer" is not a context action; use compact or clear; did you mean clear?'],
      ],
    },
    {
      mistake: "a number as context action on a sub-step",
      text: subStep("id: code, instructions: Code it, context: 3"),
      problems: [[5, 51, "loops.build[0].context", "must be compact or clear, not the number 3"]],
    },
    {
      mistake: "an on_fail of its own on a sub-step",
      text: subStep("id: code, instructions: Code it, on_fail: panic"),
      problems: [
        [
          5,
          51,
          "loops.build[0].on_fail",
          '"panic" is not a way to handle a failure; use retry, skip, abort or { go_to: <step> }',
        ],
      ],
    },
    {
      mistake: "outcomes on a sub-step",
      text: subStep("id: code, instructions: Code it, outcomes: { done: next }"),
      problems: [[5, 42, "loops.build[0].outcomes", "a sub-step cannot have outcomes; only a step of type action can"]],
    },
    {
      mistake: "a type on a sub-step",
      text: subStep("id: code, type: action, instructions: Code it"),
      problems: [[5, 19, "loops.build[0].type", "a sub-step cannot have type; only a step can"]],
    },
    {
      mistake: "a misspelt key of a sub-step",
      text: subStep("id: code, instructions: Code it, agnet: bob"),
      problems: [[5, 42, "loops.build[0].agnet", 'unknown key "agnet"; did you mean agent?']],
    },
    {
      mistake: "an unknown key of a sub-step",
      text: subStep("id: code, instructions: Code it, colour: red"),
      problems: [
        [
          5,
          42,
          "loops.build[0].colour",
          'unknown key "colour"; known keys: id, agent, context, on_fail, max_retries, when, budget, model, effort, tools, permissions, instructions, gate',
        ],
      ],
    },
    {
      mistake: "an empty gate on a sub-step",
      text: subStep("id: code, instructions: Code it, gate: []"),
      problems: [[5, 48, "loops.build[0].gate", "must name at least one check"]],
    },
    {
      mistake: "outcomes on a loop step",
      text: `${head}loops: { build: [{ id: code, instructions: Code it }] }\nsteps:\n  - { id: build, type: loop, outcomes: { done: next } }\n`,
      problems: [
        [5, 30, "steps[0].outcomes", "a step of type loop cannot have outcomes; only a step of type action can"],
      ],
    },
    {
      mistake: "a gate on a loop step",
      text: `${head}loops: { build: [{ id: code, instructions: Code it }] }\nsteps:\n  - { id: build, type: loop, gate: [{ run: npm test }] }\n`,
      problems: [
        [5, 30, "steps[0].gate", "a step of type loop cannot have gate; only a step of type action or ralph can"],
      ],
    },
    {
      mistake: "a loop with a dot and a space in its name",
      text: `${head}loops: { build it.all: [{ id: code }] }\nsteps:\n  - { id: build it.all, type: loop }\n`,
      problems: [
        [3, 25, 'loops["build it.all"][0].instructions', 'is missing in sub-step "build it.all.code"; it must be text'],
      ],
    },
  ],
  placeholders: [
    {
      mistake: "a field that a task does not have",
      text: subStep("id: code, instructions: 'Do {task.nope} now'"),
      problems: [[5, 37, "loops.build[0].instructions", "{task.nope} is unknown; a task has id, title, description"]],
    },
    {
      mistake: "a misspelt field of a task",
      text: subStep("id: code, instructions: 'Do {task.tilte} now'"),
      problems: [[5, 37, "loops.build[0].instructions", "{task.tilte} is unknown; did you mean title?"]],
    },
    {
      mistake: "a part that depends on a value and does not end",
      text: step("id: plan, type: action, instructions: 'Do {?run.request} now'"),
      problems: [[4, 49, "steps[0].instructions", "{?run.request} does not end; write {/} behind the part"]],
    },
    {
      mistake: "a part that depends on a value inside another one",
      text: step("id: plan, type: action, instructions: 'Do {?run.request}a{?run.summary}b{/}{/}'"),
      problems: [
        [
          4,
          64,
          "steps[0].instructions",
          "{?run.summary} is inside {?run.request}, which does not end before it; write {/} first",
        ],
      ],
    },
    {
      mistake: "a part that depends on a variable that does not exist",
      text: step("id: plan, type: action, instructions: 'Do {?vars.nope}it{/}'"),
      problems: [[4, 49, "steps[0].instructions", "{?vars.nope} is unknown; variables has none"]],
    },
    {
      mistake: "a part that depends on a task outside a loop",
      text: step("id: plan, type: action, instructions: 'Do {?task.id}it{/}'"),
      problems: [[4, 49, "steps[0].instructions", "{?task.id} is only available in the sub-steps of a loop"]],
    },
    {
      mistake: "the output of a task of a step that is no loop",
      text: step("id: plan, type: action, instructions: 'Do {outputs.plan.t1}'"),
      problems: [[4, 49, "steps[0].instructions", "{outputs.plan.t1} is unknown; the steps are plan"]],
    },
    {
      mistake: "a task outside of a loop",
      text: step("id: plan, type: action, instructions: 'Do {task.id} now'"),
      problems: [[4, 49, "steps[0].instructions", "{task.id} is only available in the sub-steps of a loop"]],
    },
    {
      mistake: "a task in the instructions of a loop step",
      text: `${head}loops: { build: [{ id: code, instructions: Code it }] }\nsteps:\n  - { id: build, type: loop, instructions: 'Do {task.id} now' }\n`,
      problems: [[5, 48, "steps[0].instructions", "{task.id} is only available in the sub-steps of a loop"]],
    },
    {
      mistake: "a field that a run does not have",
      text: step("id: plan, type: action, instructions: 'See {run.nope}'"),
      problems: [[4, 50, "steps[0].instructions", "{run.nope} is unknown; a run has id, summary, request"]],
    },
    {
      mistake: "a variable that is not declared, of none",
      text: step("id: plan, type: action, instructions: 'See {vars.plan}'"),
      problems: [[4, 50, "steps[0].instructions", "{vars.plan} is unknown; variables has none"]],
    },
    {
      mistake: "a variable that is not declared, of some",
      text: `${head}variables: { plan_number: 1, goal: ship }\nsteps:\n  - { id: plan, type: action, instructions: 'See {vars.owner}' }\n`,
      problems: [[5, 50, "steps[0].instructions", "{vars.owner} is unknown; variables has plan_number, goal"]],
    },
    {
      mistake: "the output of a step that is not there",
      text: step("id: plan, type: action, instructions: 'See {outputs.review}'"),
      problems: [[4, 50, "steps[0].instructions", "{outputs.review} is unknown; the steps are plan"]],
    },
    {
      mistake: "the output of a misspelt step",
      text: step("id: plan, type: action, instructions: 'See {outputs.paln}'"),
      problems: [[4, 50, "steps[0].instructions", "{outputs.paln} is unknown; did you mean plan?"]],
    },
    {
      mistake: "a space inside the braces",
      text: subStep("id: code, instructions: 'Do {task.title } now'"),
      problems: [[5, 37, "loops.build[0].instructions", "{task.title } is unknown; did you mean title?"]],
    },
    {
      mistake: "one placeholder twice, on later lines of a block text",
      text: `${head}steps:\n  - id: plan\n    type: action\n    instructions: |\n      First {run.nope}.\n      {{run.nope} is text.\n      Then {run.id} and {run.nope}.\n`,
      problems: [
        [7, 13, "steps[0].instructions", "{run.nope} is unknown; a run has id, summary, request"],
        [9, 25, "steps[0].instructions", "{run.nope} is unknown; a run has id, summary, request"],
      ],
    },
    {
      mistake: "a placeholder in a folded text, and one in the comment behind its sign",
      text: `${head}steps:\n  - id: plan\n    type: action\n    instructions: > # {run.nope}\n      Read what was said\n      about {run.nope} before.\n`,
      problems: [[8, 13, "steps[0].instructions", "{run.nope} is unknown; a run has id, summary, request"]],
    },
    {
      mistake: "a placeholder in a quoted text of several lines",
      text: `${head}steps:\n  - id: plan\n    type: action\n    instructions: "Read what was said\n      about \\"{run.nope}\\" before."\n`,
      problems: [[7, 15, "steps[0].instructions", "{run.nope} is unknown; a run has id, summary, request"]],
    },
    {
      mistake: "a placeholder in plain text of several lines",
      text: `${head}steps:\n  - id: plan\n    type: action\n    instructions: Read what was said\n      about {run.nope} before.\n`,
      problems: [[7, 13, "steps[0].instructions", "{run.nope} is unknown; a run has id, summary, request"]],
    },
    {
      mistake: "a placeholder that is written with an escape",
      text: step('id: plan, type: action, instructions: "See {run\\x2enope}"'),
      problems: [[4, 45, "steps[0].instructions", "{run.nope} is unknown; a run has id, summary, request"]],
    },
    {
      mistake: "a placeholder that comes by an alias",
      text: `${head}variables: { text: &text 'See {run.nope}' }\nsteps:\n  - { id: plan, type: action, instructions: *text }\n`,
      problems: [[5, 45, "steps[0].instructions", "{run.nope} is unknown; a run has id, summary, request"]],
    },
  ],
  outcomes: [
    {
      mistake: "an outcome that leads to a misspelt step",
      text: step("id: plan, type: action, instructions: Plan it, outcomes: { again: plna }"),
      problems: [[4, 73, "steps[0].outcomes.again", 'leads to "plna", which is not a step; did you mean plan?']],
    },
    {
      mistake: "an outcome that leads to no step",
      text: step("id: plan, type: action, instructions: Plan it, outcomes: { done: review }"),
      problems: [
        [
          4,
          72,
          "steps[0].outcomes.done",
          'leads to "review", which is not a step; use the id of a step, next, complete or fail',
        ],
      ],
    },
    {
      mistake: "an outcome that leads to a misspelt word",
      text: step("id: plan, type: action, instructions: Plan it, outcomes: { done: compleet }"),
      problems: [[4, 72, "steps[0].outcomes.done", 'leads to "compleet", which is not a step; did you mean complete?']],
    },
    {
      mistake: "an outcome that leads to a step named complete",
      text: `${head}steps:\n  - { id: plan, type: action, instructions: Plan it, outcomes: { done: complete } }\n  - { id: complete, type: action, instructions: Finish }\n`,
      problems: [[4, 72, "steps[0].outcomes.done", '"complete" is both a step and a reserved target; rename the step']],
    },
    {
      mistake: "an outcome that is left empty",
      text: step("id: plan, type: action, instructions: Plan it, outcomes: { done: }"),
      problems: [[4, 66, "steps[0].outcomes.done", "is empty; it must be text"]],
    },
    {
      mistake: "an outcome that is a number",
      text: step("id: plan, type: action, instructions: Plan it, outcomes: { done: 3 }"),
      problems: [[4, 72, "steps[0].outcomes.done", "must be text, not the number 3; put it in quotes"]],
    },
    {
      mistake: "no outcomes in outcomes",
      text: step("id: plan, type: action, instructions: Plan it, outcomes: {}"),
      problems: [[4, 64, "steps[0].outcomes", "must name at least one outcome"]],
    },
    {
      mistake: "outcomes as a list",
      text: step("id: plan, type: action, instructions: Plan it, outcomes: [done]"),
      problems: [[4, 64, "steps[0].outcomes", "must be a map of names and values, not a list"]],
    },
    {
      mistake: "outcomes on a ralph step",
      text: step("id: polish, type: ralph, n: 3, instructions: Improve it, outcomes: { done: next }"),
      problems: [
        [4, 64, "steps[0].outcomes", "a step of type ralph cannot have outcomes; only a step of type action can"],
      ],
    },
    {
      mistake: "an outcome whose name ends with a space",
      text: step("id: plan, type: action, instructions: Plan it, outcomes: { 'done ': next }"),
      problems: [[4, 66, 'steps[0].outcomes["done "]', "must not begin or end with a space or a line break"]],
    },
  ],
  gates: [
    {
      mistake: "an empty gate",
      text: gate("[]"),
      problems: [[4, 60, "steps[0].gate", "must name at least one check"]],
    },
    {
      mistake: "a gate that is left empty",
      text: `${head}steps:\n  - id: plan\n    type: action\n    instructions: Plan it\n    gate:\n`,
      problems: [[7, 5, "steps[0].gate", 'is empty in step "plan"; it must be a list']],
    },
    {
      mistake: "a gate as a map",
      text: gate("{ run: npm test }"),
      problems: [[4, 60, "steps[0].gate", "must be a list, not a map"]],
    },
    {
      mistake: "a gate as a text",
      text: gate("npm test"),
      problems: [[4, 60, "steps[0].gate", 'must be a list, not "npm test"']],
    },
    {
      mistake: "a check as a text",
      text: gate("[npm test]"),
      problems: [
        [4, 61, "steps[0].gate[0]", 'must be a map with run, command, exists, output or approval, not "npm test"'],
      ],
    },
    {
      mistake: "a check that is left empty",
      text: gate("[~]"),
      problems: [
        [4, 61, "steps[0].gate[0]", "is empty; it must be a map with run, command, exists, output or approval"],
      ],
    },
    {
      mistake: "a check with nothing in it",
      text: gate("[{}]"),
      problems: [[4, 61, "steps[0].gate[0]", "must be a map with run, command, exists, output or approval"]],
    },
    {
      mistake: "a check with only a time limit",
      text: gate("[{ timeout: 10m }]"),
      problems: [[4, 61, "steps[0].gate[0]", "must be a map with run, command, exists, output or approval"]],
    },
    {
      mistake: "two checks in one entry",
      text: gate("[{ run: npm test, exists: docs/plan.md }]"),
      problems: [[4, 61, "steps[0].gate[0]", "has run and exists; write a separate entry for each"]],
    },
    {
      mistake: "three checks in one entry",
      text: gate("[{ run: npm test, exists: docs/plan.md, approval: human }]"),
      problems: [[4, 61, "steps[0].gate[0]", "has run, exists and approval; write a separate entry for each"]],
    },
    {
      mistake: "a misspelt check",
      text: gate("[{ exist: docs/plan.md }]"),
      problems: [[4, 63, "steps[0].gate[0].exist", 'unknown key "exist"; did you mean exists?']],
    },
    {
      mistake: "an unknown check",
      text: gate("[{ colour: red }]"),
      problems: [
        [
          4,
          63,
          "steps[0].gate[0].colour",
          'unknown key "colour"; known keys: run, timeout, command, exists, output, message, approval',
        ],
      ],
    },
    {
      mistake: "a check of the answer without a way to check it",
      text: gate("[{ output: {} }]"),
      problems: [[4, 71, "steps[0].gate[0].output", "must be a map with one of contains, matches and schema"]],
    },
    {
      mistake: "a check of the answer as a text",
      text: gate("[{ output: done }]"),
      problems: [
        [4, 71, "steps[0].gate[0].output", 'must be a map with one of contains, matches and schema, not "done"'],
      ],
    },
    {
      mistake: "two ways to check the answer in one entry",
      text: gate("[{ output: { contains: a, matches: b } }]"),
      problems: [[4, 71, "steps[0].gate[0].output", "has contains and matches; write a separate entry for each"]],
    },
    {
      mistake: "a misspelt way to check the answer",
      text: gate("[{ output: { contain: a } }]"),
      problems: [[4, 73, "steps[0].gate[0].output.contain", 'unknown key "contain"; did you mean contains?']],
    },
    {
      mistake: "an answer that must contain nothing",
      text: gate('[{ output: { contains: "" } }]'),
      problems: [[4, 83, "steps[0].gate[0].output.contains", "must not be empty"]],
    },
    {
      mistake: "an answer that must contain a number",
      text: gate("[{ output: { contains: 7 } }]"),
      problems: [[4, 83, "steps[0].gate[0].output.contains", "must be text, not the number 7; put it in quotes"]],
    },
    {
      mistake: "a pattern for the answer that looks behind",
      text: gate('[{ output: { matches: "a(?<=b)" } }]'),
      problems: [
        [
          4,
          84,
          "steps[0].gate[0].output.matches",
          'column 2: "(?<" is not supported; a pattern has no lookaround and no references',
        ],
      ],
    },
    {
      mistake: "a pattern for the answer whose anchor belongs to one of two alternatives",
      text: gate('[{ output: { matches: "^a|b" } }]'),
      problems: [
        [
          4,
          83,
          "steps[0].gate[0].output.matches",
          "column 1: is ambiguous before |; put the alternatives in parentheses",
        ],
      ],
    },
    {
      mistake: "a schema outside the project",
      text: gate("[{ output: { schema: ../plan.json } }]"),
      problems: [[4, 81, "steps[0].gate[0].output.schema", "must be a path inside the project, from its top"]],
    },
    {
      mistake: "a schema at an absolute path",
      text: gate("[{ output: { schema: /etc/plan.json } }]"),
      problems: [[4, 81, "steps[0].gate[0].output.schema", "must be a path inside the project, from its top"]],
    },
    {
      mistake: "a message on a command",
      text: gate("[{ run: npm test, message: Mend it }]"),
      problems: [
        [4, 78, "steps[0].gate[0].message", "an entry with run cannot have message; only one with output can"],
      ],
    },
    {
      mistake: "an empty message",
      text: gate('[{ output: { contains: a }, message: "" }]'),
      problems: [[4, 97, "steps[0].gate[0].message", "must not be empty"]],
    },
    {
      mistake: "a misspelt time limit",
      text: gate("[{ run: npm test, timout: 10m }]"),
      problems: [[4, 78, "steps[0].gate[0].timout", 'unknown key "timout"; did you mean timeout?']],
    },
    {
      mistake: "a time limit on a file",
      text: gate("[{ exists: docs/plan.md, timeout: 10m }]"),
      problems: [
        [
          4,
          85,
          "steps[0].gate[0].timeout",
          "an entry with exists cannot have timeout; only one with run or command can",
        ],
      ],
    },
    {
      mistake: "a time limit in words",
      text: gate("[{ run: npm test, timeout: soon }]"),
      problems: [[4, 87, "steps[0].gate[0].timeout", 'must be a time such as "90s", "10m" or "1h", not "soon"']],
    },
    {
      mistake: "a time limit without a unit",
      text: gate("[{ run: npm test, timeout: 10 }]"),
      problems: [[4, 87, "steps[0].gate[0].timeout", 'must be a time such as "90s", "10m" or "1h", not the number 10']],
    },
    {
      mistake: "a time limit of nothing",
      text: gate("[{ run: npm test, timeout: 0s }]"),
      problems: [[4, 87, "steps[0].gate[0].timeout", "must be more than 0"]],
    },
    {
      mistake: "a number as command",
      text: gate("[{ run: 3 }]"),
      problems: [[4, 68, "steps[0].gate[0].run", "must be a command line or a list of arguments, not the number 3"]],
    },
    {
      mistake: "a blank command",
      text: gate("[{ run: ' ' }]"),
      problems: [[4, 68, "steps[0].gate[0].run", "must not be empty"]],
    },
    {
      mistake: "a command of no words",
      text: gate("[{ run: [] }]"),
      problems: [[4, 68, "steps[0].gate[0].run", "must not be empty"]],
    },
    {
      mistake: "a command without a program",
      text: gate("[{ run: ['', test] }]"),
      problems: [[4, 68, "steps[0].gate[0].run", "must begin with the program to run"]],
    },
    {
      mistake: "a number among the words of a command",
      text: gate("[{ run: [npm, test, 3] }]"),
      problems: [[4, 80, "steps[0].gate[0].run[2]", "must be text, not the number 3; put it in quotes"]],
    },
    {
      mistake: "a map among the words of a command",
      text: gate("[{ run: [npm, { toString: 1 }] }]"),
      problems: [[4, 74, "steps[0].gate[0].run[1]", "must be text, not a map"]],
    },
    {
      mistake: "a number as file",
      text: gate("[{ exists: 3 }]"),
      problems: [[4, 71, "steps[0].gate[0].exists", "must be a path, a glob or a list of them, not the number 3"]],
    },
    {
      mistake: "an empty list of files",
      text: gate("[{ exists: [] }]"),
      problems: [[4, 71, "steps[0].gate[0].exists", "must not be empty"]],
    },
    {
      mistake: "a blank file in a list",
      text: gate("[{ exists: [docs/plan.md, ''] }]"),
      problems: [[4, 86, "steps[0].gate[0].exists[1]", "must not be empty"]],
    },
    {
      mistake: "an approval by a robot",
      text: gate("[{ approval: robot }]"),
      problems: [
        [4, 73, "steps[0].gate[0].approval", 'must be "human", or a map such as { human: [terminal] }, not "robot"'],
      ],
    },
    {
      mistake: "an approval that is only true",
      text: gate("[{ approval: true }]"),
      problems: [
        [
          4,
          73,
          "steps[0].gate[0].approval",
          'must be "human", or a map such as { human: [terminal] }, not the boolean true',
        ],
      ],
    },
    {
      mistake: "an approval at a place that does not exist",
      text: gate("[{ approval: { human: [phone] } }]"),
      problems: [
        [
          ...([4, 83, "steps[0].gate[0].approval.human[0]"] as const),
          '"phone" is not a place; use terminal, dashboard or host-dialog',
        ],
      ],
    },
    {
      mistake: "an approval at no place",
      text: gate("[{ approval: { human: [] } }]"),
      problems: [[4, 82, "steps[0].gate[0].approval.human", "must name a place"]],
    },
    {
      mistake: "an approval at a place that is not in a list",
      text: gate("[{ approval: { human: terminal } }]"),
      problems: [[4, 82, "steps[0].gate[0].approval.human", 'must be a list, not "terminal"']],
    },
    {
      mistake: "an approval by somebody else",
      text: gate("[{ approval: { robot: [terminal] } }]"),
      problems: [[4, 73, "steps[0].gate[0].approval", 'must be "human", or a map such as { human: [terminal] }']],
    },
    {
      mistake: "an approval in until",
      text: step("id: polish, type: ralph, n: 3, instructions: Improve it, until: [{ approval: human }]"),
      problems: [
        [
          4,
          74,
          "steps[0].until[0].approval",
          "an approval cannot end the iterations; use run, command, exists or output",
        ],
      ],
    },
    {
      mistake: "an empty until",
      text: step("id: polish, type: ralph, n: 3, instructions: Improve it, until: []"),
      problems: [[4, 71, "steps[0].until", "must name at least one check"]],
    },
    {
      mistake: "a check with nothing in it, in until",
      text: step("id: polish, type: ralph, n: 3, instructions: Improve it, until: [{}]"),
      problems: [[4, 72, "steps[0].until[0]", "must be a map with run, command, exists or output"]],
    },
  ],
  hints: [
    {
      mistake: "a misspelt effort",
      text: step("id: plan, type: action, instructions: Plan it, effort: hihg"),
      problems: [
        [
          4,
          62,
          "steps[0].effort",
          '"hihg" is not an effort; use minimal, low, medium, high, xhigh or max; did you mean high?',
        ],
      ],
    },
    {
      mistake: "an effort as a number, of a sub-step",
      text: subStep("id: code, instructions: Code it, effort: 3"),
      problems: [
        [5, 50, "loops.build[0].effort", "must be minimal, low, medium, high, xhigh or max, not the number 3"],
      ],
    },
    ...[
      "bypassPermissions",
      "dontAsk",
      "yolo",
      "danger-full-access",
      "--dangerously-skip-permissions",
      "full",
      "'*'",
    ].map((value) => ({
      mistake: `permissions that bypass prompts: ${value}`,
      text: step(`id: plan, type: action, instructions: Plan it, permissions: ${value}`),
      problems: [
        [
          4,
          67,
          "steps[0].permissions",
          `"${value.replaceAll("'", "")}" bypasses the prompts of the agent program; a workflow can only narrow what a person has allowed: use read or edit`,
        ] as const,
      ],
    })),
    {
      mistake: "permissions that bypass prompts, of an agent",
      text: top("agents: { a: { description: x, permissions: never } }").replace("Plan it", "Plan it, agent: a"),
      problems: [
        [
          3,
          45,
          "agents.a.permissions",
          '"never" bypasses the prompts of the agent program; a workflow can only narrow what a person has allowed: use read or edit',
        ],
      ],
    },
    {
      mistake: "unknown permissions",
      text: step("id: plan, type: action, instructions: Plan it, permissions: raed"),
      problems: [
        [4, 67, "steps[0].permissions", '"raed" is not a level of permissions; use read or edit; did you mean read?'],
      ],
    },
    {
      mistake: "permissions as a list",
      text: step("id: plan, type: action, instructions: Plan it, permissions: [read]"),
      problems: [[4, 67, "steps[0].permissions", "must be read or edit, not a list"]],
    },
    {
      mistake: "tools as a text",
      text: step("id: plan, type: action, instructions: Plan it, tools: Read"),
      problems: [[4, 61, "steps[0].tools", 'must be a list, not "Read"']],
    },
    {
      mistake: "no tools",
      text: step("id: plan, type: action, instructions: Plan it, tools: []"),
      problems: [[4, 61, "steps[0].tools", "must name at least one tool"]],
    },
    {
      mistake: "a number and nothing as tools",
      text: subStep("id: code, instructions: Code it, tools: [Read, 3, '']"),
      problems: [
        [5, 56, "loops.build[0].tools[1]", "must be text, not the number 3; put it in quotes"],
        [5, 59, "loops.build[0].tools[2]", "must not be empty"],
      ],
    },
    {
      mistake: "every tool",
      text: step("id: plan, type: action, instructions: Plan it, tools: [Read, '*']"),
      problems: [
        [
          4,
          68,
          "steps[0].tools[1]",
          '"*" stands for every tool; a workflow can only narrow what a person has allowed, so name the tools',
        ],
      ],
    },
    {
      mistake: "every tool, and an option, of an agent",
      text: top("agents: { a: { description: x, tools: ['*', --yolo] } }").replace("Plan it", "Plan it, agent: a"),
      problems: [
        [
          3,
          40,
          "agents.a.tools[0]",
          '"*" stands for every tool; a workflow can only narrow what a person has allowed, so name the tools',
        ],
        [3, 45, "agents.a.tools[1]", "must not begin with -"],
      ],
    },
    {
      mistake: "a tool of two lines",
      text: step('id: plan, type: action, instructions: Plan it, tools: ["Read\\nWrite"]'),
      problems: [[4, 62, "steps[0].tools[0]", "must be one line without control characters"]],
    },
    {
      mistake: "more tools than anybody reads",
      text: step(`id: plan, type: action, instructions: Plan it, tools: [${"Read, ".repeat(101)}]`),
      problems: [[4, 61, "steps[0].tools", "must name at most 100 tools"]],
    },
    {
      mistake: "an option as a model",
      text: step("id: plan, type: action, instructions: Plan it, model: --dangerously-skip-permissions"),
      problems: [[4, 61, "steps[0].model", "must not begin with -"]],
    },
    {
      mistake: "a model with a space",
      text: subStep("id: code, instructions: Code it, model: the best one"),
      problems: [[5, 49, "loops.build[0].model", "must be the name of a model, without spaces"]],
    },
    {
      mistake: "a long model",
      text: step(`id: plan, type: action, instructions: Plan it, model: ${"m".repeat(201)}`),
      problems: [[4, 61, "steps[0].model", "must have at most 200 characters"]],
    },
    {
      mistake: "a model for a command",
      text: step("id: test, type: command, run: npm test, model: opus"),
      problems: [
        [
          4,
          47,
          "steps[0].model",
          "a step of type command cannot have model; only a step of type action, loop or ralph can",
        ],
      ],
    },
    {
      mistake: "a misspelt hint",
      text: step("id: plan, type: action, instructions: Plan it, permission: read"),
      problems: [[4, 54, "steps[0].permission", 'unknown key "permission"; did you mean permissions?']],
    },
    {
      mistake: "an effort in a change",
      text: change("step: build/make, set: { effort: hard }"),
      files: withBase,
      problems: [
        [4, 40, "change[0].set.effort", '"hard" is not an effort; use minimal, low, medium, high, xhigh or max'],
      ],
    },
    {
      mistake: "permissions that bypass prompts in a base",
      text: "name: ship\nextends: base\n",
      files: {
        ".holdfast/workflows/base.yaml": base.replace(
          "{ description: reads }",
          "{ description: reads, permissions: yolo }",
        ),
      },
      problems: [
        [
          4,
          48,
          "agents.reviewer.permissions",
          '"yolo" bypasses the prompts of the agent program; a workflow can only narrow what a person has allowed: use read or edit',
          ".holdfast/workflows/base.yaml",
        ],
      ],
    },
  ],
  "budgets and transitions": [
    {
      mistake: "an empty budget",
      text: step("id: plan, type: action, instructions: Plan it, budget: {}"),
      problems: [[4, 62, "steps[0].budget", "must set at least one of turns, minutes, tokens, cost"]],
    },
    {
      mistake: "a budget with only a way back",
      text: step("id: plan, type: action, instructions: Plan it, budget: { pivot_to: plan }"),
      problems: [[4, 62, "steps[0].budget", "must set at least one of turns, minutes, tokens, cost"]],
    },
    {
      mistake: "a budget as a number",
      text: step("id: plan, type: action, instructions: Plan it, budget: 12"),
      problems: [[4, 62, "steps[0].budget", "must be a map of keys and values, not the number 12"]],
    },
    {
      mistake: "no turns",
      text: step("id: plan, type: action, instructions: Plan it, budget: { turns: 0 }"),
      problems: [[4, 71, "steps[0].budget.turns", "must be 1 or more"]],
    },
    {
      mistake: "no minutes",
      text: step("id: plan, type: action, instructions: Plan it, budget: { minutes: 0 }"),
      problems: [[4, 73, "steps[0].budget.minutes", "must be more than 0"]],
    },
    {
      mistake: "half a token",
      text: step("id: plan, type: action, instructions: Plan it, budget: { tokens: 2.5 }"),
      problems: [[4, 72, "steps[0].budget.tokens", "must be a whole number, not the number 2.5"]],
    },
    {
      mistake: "a misspelt key of a budget",
      text: step("id: plan, type: action, instructions: Plan it, budget: { turn: 12 }"),
      problems: [[4, 64, "steps[0].budget.turn", 'unknown key "turn"; did you mean turns?']],
    },
    {
      mistake: "an unknown key of a budget",
      text: step("id: plan, type: action, instructions: Plan it, budget: { turns: 12, money: 5 }"),
      problems: [
        [4, 75, "steps[0].budget.money", 'unknown key "money"; known keys: turns, minutes, tokens, cost, pivot_to'],
      ],
    },
    {
      mistake: "a budget of no money",
      text: step("id: plan, type: action, instructions: Plan it, budget: { cost: 0 }"),
      problems: [[4, 70, "steps[0].budget.cost", "must be more than 0"]],
    },
    {
      mistake: "a budget of less than nothing",
      text: step("id: plan, type: action, instructions: Plan it, budget: { cost: -2.5 }"),
      problems: [[4, 70, "steps[0].budget.cost", "must be more than 0"]],
    },
    {
      mistake: "a budget with a currency",
      text: step("id: plan, type: action, instructions: Plan it, budget: { cost: $5 }"),
      problems: [[4, 70, "steps[0].budget.cost", 'must be a number, not "$5"']],
    },
    {
      mistake: "a budget without an end",
      text: step("id: plan, type: action, instructions: Plan it, budget: { cost: .inf }"),
      problems: [[4, 70, "steps[0].budget.cost", "must be a number, not Infinity"]],
    },
    {
      mistake: "a budget of a command, which no agent works on",
      text: step("id: test, type: command, run: npm test, budget: { turns: 1 }"),
      problems: [
        [
          4,
          47,
          "steps[0].budget",
          "a step of type command cannot have budget; only a step of type action, loop or ralph can",
        ],
      ],
    },
    {
      mistake: "an empty budget of the whole run",
      text: top("budget: { pivot_to: plan }"),
      problems: [[3, 9, "budget", "must set at least one of turns, minutes, tokens, cost"]],
    },
    {
      mistake: "a budget of the whole run as a number",
      text: top("budget: 5"),
      problems: [[3, 9, "budget", "must be a map of keys and values, not the number 5"]],
    },
    {
      mistake: "a misspelt key of the budget of the whole run",
      text: top("budget: { coast: 5 }"),
      problems: [[3, 11, "budget.coast", 'unknown key "coast"; did you mean cost?']],
    },
    {
      mistake: "an unknown key of the budget of the whole run",
      text: top("budget: { turns: 5, continues: 2 }"),
      problems: [
        [3, 21, "budget.continues", 'unknown key "continues"; known keys: turns, minutes, tokens, cost, pivot_to'],
      ],
    },
    {
      mistake: "a whole run that pivots to no step",
      text: top("budget: { turns: 5, pivot_to: plann }"),
      problems: [[3, 31, "budget.pivot_to", '"plann" is not a step; did you mean plan?']],
    },
    {
      mistake: "a misspelt budget of the whole run",
      text: top("bugdet: { turns: 5 }"),
      problems: [[3, 1, "bugdet", 'unknown key "bugdet"; did you mean budget?']],
    },
    {
      mistake: "a pivot to no step",
      text: step("id: plan, type: action, instructions: Plan it, budget: { turns: 12, pivot_to: design }"),
      problems: [[4, 85, "steps[0].budget.pivot_to", '"design" is not a step; the steps are plan']],
    },
    {
      mistake: "a pivot to a misspelt step, from a sub-step",
      text: subStep("id: code, instructions: Code it, budget: { turns: 12, pivot_to: biuld }"),
      problems: [[5, 73, "loops.build[0].budget.pivot_to", '"biuld" is not a step; did you mean build?']],
    },
    {
      mistake: "a transition from no step",
      text: top("transitions: [{ from: design, to: plan, context: clear }]"),
      problems: [[3, 23, "transitions[0].from", '"design" is not a step; the steps are plan']],
    },
    {
      mistake: "a transition to a misspelt step",
      text: top("transitions: [{ from: plan, to: paln, context: clear }]"),
      problems: [[3, 33, "transitions[0].to", '"paln" is not a step; did you mean plan?']],
    },
    {
      mistake: "a transition without a context action",
      text: top("transitions: [{ from: plan, to: plan }]"),
      problems: [[3, 15, "transitions[0].context", "is missing; use compact or clear"]],
    },
    {
      mistake: "a transition with an unknown context action",
      text: top("transitions: [{ from: plan, to: plan, context: keep }]"),
      problems: [[3, 48, "transitions[0].context", '"keep" is not a context action; use compact or clear']],
    },
    {
      mistake: "a transition without its beginning, twice",
      text: top("transitions: [{ to: plan, context: clear }, { to: plan, context: clear }]"),
      problems: [
        [3, 15, "transitions[0].from", "is missing; it must be text"],
        [3, 45, "transitions[1].from", "is missing; it must be text"],
      ],
    },
    {
      mistake: "two transitions between the same steps",
      text: top(
        "transitions:\n  - { from: plan, to: plan, context: clear }\n  - { from: plan, to: plan, context: compact }",
      ),
      problems: [[5, 5, "transitions[1]", 'there is already a transition from "plan" to "plan"']],
    },
    {
      mistake: "a misspelt key of a transition",
      text: top("transitions: [{ from: plan, to: plan, context: clear, cary: [story] }]"),
      problems: [[3, 55, "transitions[0].cary", 'unknown key "cary"; did you mean carry?']],
    },
    {
      mistake: "an unknown key of a transition",
      text: top("transitions: [{ from: plan, to: plan, context: clear, colour: red }]"),
      problems: [
        [3, 55, "transitions[0].colour", 'unknown key "colour"; known keys: from, to, reason, context, carry'],
      ],
    },
    {
      mistake: "something to carry that is no name",
      text: top("transitions: [{ from: plan, to: plan, context: clear, carry: [the story] }]"),
      problems: [
        [
          3,
          63,
          "transitions[0].carry[0]",
          'must be a plain name (letters, digits and _, no digit first, at most 64 characters), not "the story"',
        ],
      ],
    },
    {
      mistake: "carry as a text",
      text: top("transitions: [{ from: plan, to: plan, context: clear, carry: story }]"),
      problems: [[3, 62, "transitions[0].carry", 'must be a list, not "story"']],
    },
    {
      mistake: "transitions as a map",
      text: top("transitions: { from: plan, to: plan, context: clear }"),
      problems: [[3, 14, "transitions", "must be a list, not a map"]],
    },
    {
      mistake: "transitions, outcomes and placeholders of steps that cannot be read",
      text: `${head}transitions: [{ from: plan, to: build, context: clear }]\nsteps: { plan: 1 }\n`,
      problems: [[4, 8, "steps", "must be a list, not a map"]],
    },
  ],
  "critical artifacts": [
    {
      mistake: "critical artifacts as a list",
      text: top("critical_artifacts: [{ id: spec, type: json, path: spec.json }]"),
      problems: [[3, 21, "critical_artifacts", "must be a map of keys and values, not a list"]],
    },
    {
      mistake: "a misspelt list of artifacts",
      text: top("critical_artifacts: { allways_load: [] }"),
      problems: [[3, 23, "critical_artifacts.allways_load", 'unknown key "allways_load"; did you mean always_load?']],
    },
    {
      mistake: "an unknown list of artifacts",
      text: top("critical_artifacts: { sometimes: [] }"),
      problems: [
        [3, 23, "critical_artifacts.sometimes", 'unknown key "sometimes"; known keys: always_load, conditional_load'],
      ],
    },
    {
      mistake: "a list of artifacts that is left empty",
      text: top("critical_artifacts: { always_load: }"),
      problems: [[3, 23, "critical_artifacts.always_load", "is empty; it must be a list"]],
    },
    {
      mistake: "an artifact with two sources",
      text: artifact("id: spec, type: markdown, path: spec.md, command: cat spec.md"),
      problems: [[5, 7, "critical_artifacts.always_load[0]", 'artifact "spec" has path and command; keep one of them']],
    },
    {
      mistake: "an artifact with no source",
      text: artifact("id: spec, type: markdown"),
      problems: [
        [5, 7, "critical_artifacts.always_load[0]", 'artifact "spec" needs one of path, path_from_state and command'],
      ],
    },
    {
      mistake: "git_info with a path",
      text: artifact("id: git, type: git_info, path: .git"),
      problems: [[5, 7, "critical_artifacts.always_load[0]", 'artifact "git" is git_info, which cannot have path']],
    },
    {
      mistake: "a skill without a name",
      text: artifact("id: review, type: skill"),
      problems: [
        [
          5,
          7,
          "critical_artifacts.always_load[0]",
          'artifact "review" needs a name, or one of path, path_from_state and command',
        ],
      ],
    },
    {
      mistake: "a misspelt type of artifact",
      text: artifact("id: spec, type: markdwon, path: spec.md"),
      problems: [
        [
          5,
          25,
          "critical_artifacts.always_load[0].type",
          '"markdwon" is not an artifact type; use json, markdown, text, directory, git_info, skill or work_plugin; did you mean markdown?',
        ],
      ],
    },
    {
      mistake: "no type of artifact",
      text: artifact("id: spec, path: spec.md"),
      problems: [
        [
          5,
          7,
          "critical_artifacts.always_load[0].type",
          "is missing; use json, markdown, text, directory, git_info, skill or work_plugin",
        ],
      ],
    },
    {
      mistake: "a misspelt source",
      text: artifact("id: spec, type: markdown, pth: spec.md"),
      problems: [[5, 35, "critical_artifacts.always_load[0].pth", 'unknown key "pth"; did you mean path?']],
    },
    {
      mistake: "an unknown key of an artifact",
      text: artifact("id: spec, type: markdown, path: spec.md, colour: red"),
      problems: [
        [
          5,
          50,
          "critical_artifacts.always_load[0].colour",
          'unknown key "colour"; known keys: id, type, name, path, path_from_state, command, description, required, condition, reload_triggers, select, latest, max_bytes, load',
        ],
      ],
    },
    {
      mistake: "an empty path",
      text: artifact("id: spec, type: markdown, path: ''"),
      problems: [[5, 41, "critical_artifacts.always_load[0].path", "must not be empty"]],
    },
    {
      mistake: "a number as command of an artifact",
      text: artifact("id: spec, type: json, command: 3"),
      problems: [
        [
          5,
          40,
          "critical_artifacts.always_load[0].command",
          "must be a command line or a list of arguments, not the number 3",
        ],
      ],
    },
    {
      mistake: "a limit of no bytes",
      text: artifact("id: spec, type: json, path: spec.json, max_bytes: 0"),
      problems: [[5, 59, "critical_artifacts.always_load[0].max_bytes", "must be 1 or more"]],
    },
    {
      mistake: "a misspelt way to load",
      text: artifact("id: spec, type: json, path: spec.json, load: ful"),
      problems: [
        [
          5,
          54,
          "critical_artifacts.always_load[0].load",
          '"ful" is not a way to load; use full, head_tail, summary or pointer; did you mean full?',
        ],
      ],
    },
    {
      mistake: "a text for required",
      text: artifact("id: spec, type: json, path: spec.json, required: 'no'"),
      problems: [[5, 58, "critical_artifacts.always_load[0].required", 'must be true or false, not "no"']],
    },
    {
      mistake: "two artifacts with one id, in two lists",
      text: top(
        "critical_artifacts:\n  always_load: [{ id: spec, type: json, path: a.json }]\n  conditional_load: [{ id: spec, type: json, path: b.json }]",
      ),
      problems: [
        [5, 28, "critical_artifacts.conditional_load[0].id", '"spec" is already the id of another critical artifact'],
      ],
    },
    {
      mistake: "a misspelt trigger",
      text: artifact("id: spec, type: json, path: spec.json, reload_triggers: [session_strat]"),
      problems: [
        [
          5,
          66,
          "critical_artifacts.always_load[0].reload_triggers[0]",
          '"session_strat" is not a trigger; use session_start, compaction, manual, phase_transition, phase_transition:<from>-><to>, phase_start:<phase> or step_start:<step>; did you mean session_start?',
        ],
      ],
    },
    {
      mistake: "an unknown trigger",
      text: artifact("id: spec, type: json, path: spec.json, reload_triggers: [often]"),
      problems: [
        [
          5,
          66,
          "critical_artifacts.always_load[0].reload_triggers[0]",
          '"often" is not a trigger; use session_start, compaction, manual, phase_transition, phase_transition:<from>-><to>, phase_start:<phase> or step_start:<step>',
        ],
      ],
    },
    {
      mistake: "a trigger without its phase",
      text: artifact("id: spec, type: json, path: spec.json, reload_triggers: [phase_start]"),
      problems: [
        [
          5,
          66,
          "critical_artifacts.always_load[0].reload_triggers[0]",
          '"phase_start" is not a trigger; use session_start, compaction, manual, phase_transition, phase_transition:<from>-><to>, phase_start:<phase> or step_start:<step>',
        ],
      ],
    },
    {
      mistake: "a trigger between three phases",
      text: artifact("id: spec, type: json, path: spec.json, reload_triggers: ['phase_transition:a->b->c']"),
      problems: [
        [
          5,
          66,
          "critical_artifacts.always_load[0].reload_triggers[0]",
          '"phase_transition:a->b->c" is not a trigger; use session_start, compaction, manual, phase_transition, phase_transition:<from>-><to>, phase_start:<phase> or step_start:<step>; did you mean phase_transition?',
        ],
      ],
    },
    {
      mistake: "a number as trigger",
      text: artifact("id: spec, type: json, path: spec.json, reload_triggers: [3]"),
      problems: [
        [
          5,
          66,
          "critical_artifacts.always_load[0].reload_triggers[0]",
          "must be text, not the number 3; put it in quotes",
        ],
      ],
    },
    {
      mistake: "triggers as a text",
      text: artifact("id: spec, type: json, path: spec.json, reload_triggers: session_start"),
      problems: [[5, 65, "critical_artifacts.always_load[0].reload_triggers", 'must be a list, not "session_start"']],
    },
    {
      mistake: "a trigger for a phase that is not there",
      text: artifact("id: spec, type: json, path: spec.json, reload_triggers: ['phase_start:Design']"),
      problems: [
        [5, 66, "critical_artifacts.always_load[0].reload_triggers[0]", '"Design" is not a phase; the phases are plan'],
      ],
    },
    {
      mistake: "a trigger between two phases, neither of them there",
      text: artifact("id: spec, type: json, path: spec.json, reload_triggers: ['phase_transition:Design->Build']"),
      problems: [
        [5, 66, "critical_artifacts.always_load[0].reload_triggers[0]", '"Design" is not a phase; the phases are plan'],
        [5, 66, "critical_artifacts.always_load[0].reload_triggers[0]", '"Build" is not a phase; the phases are plan'],
      ],
    },
    {
      mistake: "a trigger for a misspelt step",
      text: artifact("id: spec, type: json, path: spec.json, reload_triggers: [manual, 'step_start:paln']"),
      problems: [
        [5, 74, "critical_artifacts.always_load[0].reload_triggers[1]", '"paln" is not a step; did you mean plan?'],
      ],
    },
  ],
  "what a workflow extends": [
    {
      mistake: "changes of nothing",
      text: top("change: [{ step: plan, remove: true }]"),
      problems: [[3, 1, "change", "changes the workflow that extends names, and there is no extends"]],
    },
    {
      mistake: "extends in a text without a file",
      text: "name: ship\nextends: feature\n",
      problems: [[2, 1, "extends", "the workflow that it extends is found only when it is loaded from a file"]],
    },
    {
      mistake: "a misspelt extends",
      text: `${head}extend: feature\n`,
      files: {},
      problems: [[3, 1, "extend", 'unknown key "extend"; did you mean extends?']],
    },
    {
      mistake: "nothing to extend",
      text: "name: ship\nextends:\n",
      files: {},
      problems: [[2, 1, "extends", "is empty; it must be the name of a workflow, or the relative path of its file"]],
    },
    {
      mistake: "two workflows to extend",
      text: "name: ship\nextends: [feature, bugfix]\n",
      files: {},
      problems: [[2, 10, "extends", "must be the name of a workflow, or the relative path of its file, not a list"]],
    },
    {
      mistake: "a misspelt workflow to extend",
      text: "name: ship\nextends: featrue\n",
      files: {},
      problems: [[2, 10, "extends", 'there is no workflow "featrue"; did you mean feature?']],
    },
    {
      mistake: "a limit of no money in a base",
      text: "name: ship\nextends: base\nbudget: { turns: 3 }\n",
      files: { ".holdfast/workflows/base.yaml": top("budget: { cost: 0 }") },
      problems: [[3, 17, "budget.cost", "must be more than 0", ".holdfast/workflows/base.yaml"]],
    },
    {
      mistake: "a limit that is text over the budget of a base",
      text: "name: ship\nextends: base\nbudget: { turns: three }\n",
      files: { ".holdfast/workflows/base.yaml": top("budget: { cost: 5 }") },
      problems: [[3, 18, "budget.turns", 'must be a whole number, not "three"']],
    },
    {
      mistake: "a limit of no money in a change",
      text: "name: ship\nextends: base\nchange:\n  - { step: plan, set: { budget: { cost: -1 } } }\n",
      files: { ".holdfast/workflows/base.yaml": top("hold: true") },
      problems: [[4, 42, "change[0].set.budget.cost", "must be more than 0"]],
    },
    {
      mistake: "a workflow that extends itself",
      text: "name: ship\nextends: ship\n",
      files: {},
      problems: [[2, 10, "extends", 'there is no built-in workflow "ship", and a workflow cannot extend itself']],
    },
    {
      mistake: "workflows that extend one another",
      text: "name: ship\nextends: base\n",
      files: { ".holdfast/workflows/base.yaml": "name: base\nextends: ship\n" },
      problems: [
        [
          2,
          10,
          "extends",
          "the workflows extend one another in a circle: ship.yaml → base.yaml → ship.yaml",
          ".holdfast/workflows/base.yaml",
        ],
      ],
    },
    {
      mistake: "a chain of nine",
      text: "name: ship\nextends: b1\n",
      files: Object.fromEntries(
        Array.from({ length: 9 }, (_, index) => [
          `.holdfast/workflows/b${index + 1}.yaml`,
          index === 8 ? top("hold: true") : `name: b${index + 1}\nextends: b${index + 2}\n`,
        ]),
      ),
      problems: [[2, 10, "extends", "more than 8 workflows extend one another", ".holdfast/workflows/b8.yaml"]],
    },
    {
      mistake: "a name that two files have",
      text: "name: ship\nextends: base\n",
      files: { ".holdfast/workflows/base.yaml": base, ".holdfast/workflows/base.json": "{}" },
      problems: [
        [2, 10, "extends", '"base" is the name of base.json and base.yaml; rename one of them, or extend ./base.json'],
      ],
    },
    {
      mistake: "a file outside the project",
      text: "name: ship\nextends: ../../../base.yaml\n",
      files: {},
      problems: [[2, 10, "extends", '"../../../base.yaml" is outside the project']],
    },
    {
      mistake: "an absolute path",
      text: "name: ship\nextends: /etc/base.yaml\n",
      files: {},
      problems: [[2, 10, "extends", 'must be a path relative to this file, not "/etc/base.yaml"']],
    },
    {
      mistake: "a file that is not there",
      text: "name: ship\nextends: ./bse.yaml\n",
      files: {},
      problems: [[2, 10, "extends", "there is no file .holdfast/workflows/bse.yaml that can be read"]],
    },
    {
      mistake: "a folder to extend",
      text: "name: ship\nextends: ../../docs/\n",
      files: { "docs/plan.md": "" },
      problems: [[2, 10, "extends", "docs is not a plain file"]],
    },
    {
      mistake: "a workflow from npm",
      text: "name: ship\nextends: '@acme/workflows'\n",
      files: {},
      problems: [
        [
          2,
          10,
          "extends",
          "workflows from npm packages cannot be extended in this edition; extends takes a built-in workflow, a workflow of the project or a file in it",
        ],
      ],
    },
    {
      mistake: "a workflow from a URL",
      text: "name: ship\nextends: https://example.org/base.yaml\n",
      files: {},
      problems: [
        [
          2,
          10,
          "extends",
          "workflows from a URL cannot be extended in this edition; extends takes a built-in workflow, a workflow of the project or a file in it",
        ],
      ],
    },
    {
      mistake: "a FABER workflow as base",
      text: "name: ship\nextends: ../../faber.json\n",
      files: { "faber.json": '{ "id": "core", "phases": { "frame": { "steps": [] } } }' },
      problems: [[2, 10, "extends", "faber.json is a FABER workflow; convert it first with holdfast import-workflow"]],
    },
    {
      mistake: "broken YAML in the base",
      text: "name: ship\nextends: base\n",
      files: { ".holdfast/workflows/base.yaml": "name: [base\ndescription: Build it\n" },
      problems: [[2, 1, "", "invalid YAML: a closing ] is missing", ".holdfast/workflows/base.yaml"]],
    },
    {
      mistake: "bytes as base",
      text: "name: ship\nextends: base\n",
      files: { ".holdfast/workflows/base.yaml": Buffer.from([0x6e, 0x00, 0x01]) },
      problems: [
        [
          1,
          2,
          "",
          "the file contains the control character U+0000; a workflow is plain text",
          ".holdfast/workflows/base.yaml",
        ],
      ],
    },
    {
      mistake: "five megabytes as base",
      text: "name: ship\nextends: base\n",
      files: { ".holdfast/workflows/base.yaml": Buffer.alloc(5_000_000, "x") },
      problems: [[1, 1, "", "the file is larger than 256 KiB", ".holdfast/workflows/base.yaml"]],
    },
    {
      mistake: "a list as base",
      text: "name: ship\nextends: base\n",
      files: { ".holdfast/workflows/base.yaml": "- id: plan\n" },
      problems: [
        [1, 1, "", "a workflow is a map with name, description and steps, not a list", ".holdfast/workflows/base.yaml"],
      ],
    },
    {
      mistake: "a base without steps",
      text: "name: ship\nextends: base\n",
      files: { ".holdfast/workflows/base.yaml": head },
      problems: [[1, 1, "steps", "is missing; it must be a list", ".holdfast/workflows/base.yaml"]],
    },
    {
      mistake: "a base that two workflows together make too large",
      text: `name: ship\nextends: base\nkey_reminders: ["${"x".repeat(200_000)}"]\n`,
      files: {
        ".holdfast/workflows/base.yaml": `${base}required_reading: ["${"x".repeat(200_000)}"]\n`,
      },
      problems: [[2, 10, "extends", "with its bases, the workflow is larger than 256 KiB"]],
    },
    {
      mistake: "a wrong value in a base of the base",
      text: "name: ship\nextends: middle\n",
      files: {
        ".holdfast/workflows/middle.yaml": "name: middle\nextends: ../../shared/base.yaml\n",
        "shared/base.yaml": base.replace("n: 3", "n: many"),
      },
      problems: [[14, 35, "steps[3].n", 'must be a whole number, not "many"', "shared/base.yaml"]],
    },
    {
      mistake: "changes of nothing in a base",
      text: "name: ship\nextends: base\n",
      files: { ".holdfast/workflows/base.yaml": `${base}change: []\n` },
      problems: [
        [
          15,
          1,
          "change",
          "changes the workflow that extends names, and there is no extends",
          ".holdfast/workflows/base.yaml",
        ],
      ],
    },
    {
      mistake: "a reserved name in a base",
      text: "name: ship\nextends: base\n",
      files: { ".holdfast/workflows/base.yaml": `${base}variables: { constructor: 1 }\n` },
      problems: [
        [
          15,
          14,
          "variables.constructor",
          '"constructor" is a reserved name; use another',
          ".holdfast/workflows/base.yaml",
        ],
      ],
    },
    {
      mistake: "steps beside extends",
      text: `name: ship\nextends: base\n${plan}`,
      files: withBase,
      problems: [[3, 1, "steps", "a workflow that extends another has no steps of its own; use change"]],
    },
    {
      mistake: "no name of its own",
      text: "extends: base\n",
      files: withBase,
      problems: [[1, 1, "name", "is missing; a workflow that extends another needs its own name"]],
    },
    {
      mistake: "a merged value that does not fit what it is merged with",
      text: "name: ship\nextends: base\nagents:\n  reviewer: { tools: read }\n",
      files: withBase,
      problems: [[4, 22, "agents.reviewer.tools", 'must be a list, not "read"']],
    },
    {
      mistake: "a placeholder of a base that lost its variable",
      text: "name: ship\nextends: base\nvariables: none\n",
      files: { ".holdfast/workflows/base.yaml": `${base}variables: { goal: x }\nkey_reminders: ["{vars.goal}"]\n` },
      problems: [[3, 12, "variables", 'must be a map of names and values, not "none"']],
    },
    {
      mistake: "a workflow as a step",
      text: step("id: sub, type: workflow, workflow: feature"),
      problems: [
        [4, 22, "steps[0].type", "a workflow cannot be run as a step in this edition; to reuse its steps, extend it"],
      ],
    },
    {
      mistake: "a step that extends a workflow",
      text: step("id: sub, type: action, instructions: Do it, extends: feature"),
      problems: [
        [
          4,
          51,
          "steps[0].extends",
          "a workflow cannot be run as a step in this edition; to reuse its steps, extend it",
        ],
      ],
    },
  ],
  "a change": [
    {
      mistake: "a map of changes",
      text: "name: ship\nextends: base\nchange: { step: plan, remove: true }\n",
      files: withBase,
      problems: [[3, 9, "change", "must be a list of changes, not a map"]],
    },
    {
      mistake: "more changes than there may be",
      text: `name: ship\nextends: base\nchange:\n${"  - { step: plan, set: { phase: A } }\n".repeat(501)}`,
      files: withBase,
      problems: [[4, 3, "change", "must have at most 500 changes"]],
    },
    {
      mistake: "a step that is not there",
      text: change("step: polsh, remove: true"),
      files: withBase,
      problems: [[4, 13, "change[0].step", 'base has no step "polsh"; did you mean polish?']],
    },
    {
      mistake: "a step that resembles none",
      text: change(
        "after: deploy, insert: [{ id: check, type: action, instructions: Check it, outcomes: { ok: polsh } }]",
      ),
      files: withBase,
      problems: [
        [4, 14, "change[0].after", 'base has no step "deploy"; its steps are plan, review, build, polish'],
        [4, 98, "change[0].insert[0].outcomes.ok", 'leads to "polsh", which is not a step; did you mean polish?'],
      ],
    },
    {
      mistake: "a sub-step without its loop",
      text: change("step: verify, remove: true"),
      files: withBase,
      problems: [[4, 13, "change[0].step", 'base has no step "verify"; did you mean build/verify?']],
    },
    {
      mistake: "a sub-step that is not there",
      text: change("before: build/verfy, insert: [{ id: a, instructions: A }]"),
      files: withBase,
      problems: [[4, 15, "change[0].before", 'the loop "build" of base has no sub-step "verfy"; did you mean verify?']],
    },
    {
      mistake: "a loop that is not there",
      text: change("last: bild, insert: [{ id: a, instructions: A }]"),
      files: withBase,
      problems: [[4, 13, "change[0].last", 'base has no loop "bild"; did you mean build?']],
    },
    {
      mistake: "the sub-steps of a step that is no loop",
      text: change("first: plan, insert: [{ id: a, instructions: A }]"),
      files: withBase,
      problems: [[4, 14, "change[0].first", 'the step "plan" of base is not a loop']],
    },
    {
      mistake: "a step that was removed before",
      text: change("step: build, remove: true }\n  - { step: build/verify, remove: true"),
      files: withBase,
      problems: [
        [
          4,
          5,
          "change[0]",
          'breaks steps[1].outcomes.good (.holdfast/workflows/base.yaml:11:93): leads to "build", which is not a step; use the id of a step, next, complete or fail',
        ],
        [5, 13, "change[1].step", '"build/verify" was removed by an earlier change'],
      ],
    },
    {
      mistake: "a text as change",
      text: "name: ship\nextends: base\nchange: [polish]\n",
      files: withBase,
      problems: [[3, 10, "change[0]", 'must be a map, for example { step: plan, remove: true }, not "polish"']],
    },
    {
      mistake: "a misspelt key",
      text: change("after: plan, inser: []"),
      files: withBase,
      problems: [[4, 20, "change[0].inser", 'unknown key "inser"; did you mean insert?']],
    },
    {
      mistake: "no place",
      text: change("insert: [{ id: a, type: action, instructions: A }]"),
      files: withBase,
      problems: [[4, 5, "change[0]", "does not say where; add step, before, after, first or last"]],
    },
    {
      mistake: "two places",
      text: change("after: plan, before: build, insert: [{ id: a, type: action, instructions: A }]"),
      files: withBase,
      problems: [[4, 5, "change[0]", "has before and after; write a separate change for each"]],
    },
    {
      mistake: "nothing to do",
      text: change("after: plan"),
      files: withBase,
      problems: [[4, 5, "change[0]", "after needs insert"]],
    },
    {
      mistake: "two things to do",
      text: change("step: plan, remove: true, set: { phase: A }"),
      files: withBase,
      problems: [[4, 5, "change[0]", "has set and remove; write a separate change for each"]],
    },
    {
      mistake: "an insert in place of a step",
      text: change("step: plan, insert: [{ id: a, type: action, instructions: A }]"),
      files: withBase,
      problems: [[4, 5, "change[0]", "insert does not go with step, which needs set or remove"]],
    },
    {
      mistake: "one step without a list",
      text: change("after: plan, insert: { id: a, type: action, instructions: A }"),
      files: withBase,
      problems: [[4, 28, "change[0].insert", "must be a list of at least one step, not a map"]],
    },
    {
      mistake: "no step to insert",
      text: change("after: plan, insert: []"),
      files: withBase,
      problems: [[4, 28, "change[0].insert", "must be a list of at least one step, not an empty one"]],
    },
    {
      mistake: "a removal that is not one",
      text: change("step: plan, remove: false"),
      files: withBase,
      problems: [[4, 27, "change[0].remove", "must be true, not the boolean false"]],
    },
    {
      mistake: "a number as place",
      text: change("first: 1, insert: [{ id: a, type: action, instructions: A }]"),
      files: withBase,
      problems: [[4, 14, "change[0].first", "must be true, or the id of a loop, not the number 1"]],
    },
    {
      mistake: "a wrong value",
      text: change("step: polish, set: { n: many }"),
      files: withBase,
      problems: [[4, 31, "change[0].set.n", 'must be a whole number, not "many"']],
    },
    {
      mistake: "a misspelt key of a step",
      text: change("step: polish, set: { untl: [{ exists: a }] }"),
      files: withBase,
      problems: [[4, 28, "change[0].set.untl", 'unknown key "untl"; did you mean until?']],
    },
    {
      mistake: "a misspelt key to remove",
      text: change("step: polish, set: { untl: null }"),
      files: withBase,
      problems: [[4, 28, "change[0].set.untl", 'unknown key "untl"; did you mean until?']],
    },
    {
      mistake: "a key that the step needs, removed",
      text: change("step: plan, set: { instructions: null }"),
      files: withBase,
      problems: [
        [
          4,
          5,
          "change[0]",
          'breaks steps[0].instructions (.holdfast/workflows/base.yaml:10:45): is missing in step "plan"; it must be text',
        ],
      ],
    },
    {
      mistake: "a mistake in an inserted step",
      text: change("last: true, insert: [{ id: ship, type: action, agent: revewer, instructions: '{vars.x}' }]"),
      files: withBase,
      problems: [
        [
          4,
          61,
          "change[0].insert[0].agent",
          'step "ship" names the agent "revewer", which is not under agents; did you mean reviewer?',
        ],
        [4, 85, "change[0].insert[0].instructions", "{vars.x} is unknown; variables has none"],
      ],
    },
    {
      mistake: "a step that an outcome of the base leads to, removed",
      text: change("step: polish, set: { n: 2 } }\n  - { step: plan, remove: true"),
      files: withBase,
      problems: [
        [
          5,
          5,
          "change[1]",
          'breaks steps[1].outcomes.bad (.holdfast/workflows/base.yaml:11:105): leads to "plan", which is not a step; use the id of a step, next, complete or fail',
        ],
      ],
    },
    {
      mistake: "an inserted id that the base has",
      text: change("before: plan, insert: [{ id: polish, type: action, instructions: A }]"),
      files: withBase,
      problems: [
        [
          4,
          5,
          "change[0]",
          'breaks steps[3].id (.holdfast/workflows/base.yaml:14:11): "polish" is already the id of another step',
        ],
      ],
    },
    {
      mistake: "the last sub-step of a loop, removed",
      text: change("step: build/make, remove: true }\n  - { step: build/verify, remove: true"),
      files: withBase,
      problems: [
        [5, 5, "change[1]", "breaks loops.build (.holdfast/workflows/base.yaml:7:5): must have at least one sub-step"],
      ],
    },
    {
      mistake: "a change of a base that breaks the base of that",
      text: "name: ship\nextends: middle\n",
      files: {
        ...withBase,
        ".holdfast/workflows/middle.yaml": change("step: review, set: { type: ralph, n: 2 }"),
      },
      problems: [
        [
          4,
          5,
          "change[0]",
          "breaks steps[1].outcomes (.holdfast/workflows/base.yaml:11:75): a step of type ralph cannot have outcomes; only a step of type action can",
          ".holdfast/workflows/middle.yaml",
        ],
      ],
    },
  ],
  "when to use a workflow": [
    {
      mistake: "a use_when of two lines",
      text: top('use_when: "Now\\nand then"'),
      problems: [[3, 11, "use_when", "must be one line without control characters"]],
    },
    {
      mistake: "a use_when that is too long",
      text: top(`use_when: ${"x".repeat(201)}`),
      problems: [[3, 11, "use_when", "must have at most 200 characters"]],
    },
    {
      mistake: "a use_when with an escape character",
      text: top('use_when: "\\u001b[31mred"'),
      problems: [[3, 11, "use_when", "must be one line without control characters"]],
    },
    {
      mistake: "an empty use_when",
      text: top("use_when: ''"),
      problems: [[3, 11, "use_when", "must not be empty"]],
    },
    {
      mistake: "a list as use_when",
      text: top("use_when: [always]"),
      problems: [[3, 11, "use_when", "must be text, not a list"]],
    },
  ],
};

describe.each(Object.entries(mistakes))("mistakes in %s", (_, rows) => {
  test.each(rows)("$mistake", ({ text, files, problems }) => {
    const reading = files === undefined ? loadTemplate(text) : loadInProject(text, files);
    const found = reading.ok ? [] : reading.problems;
    expect(
      found.map(({ position, path, message, file }) => [
        ...[position?.line, position?.column, path, message],
        ...(file === undefined ? [] : [file]),
      ]),
    ).toEqual(problems);
  });
});
