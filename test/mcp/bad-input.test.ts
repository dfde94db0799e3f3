import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject, type Project } from "../cli/program.ts";
import { addWorkflow, type Json, type Server, serveHere, until } from "./serve.ts";

const workflow = `
steps:
  - { id: plan, type: action, instructions: Plan it, outcomes: { good: next, bad: plan } }
  - { id: build, type: loop }
loops:
  build: [{ id: make, instructions: Make it }]
`;

const long = "x".repeat(2_000);
const huge = "x".repeat(1_000_001);
const tooLong = "must have at most 1,000 characters";
const noRunId = "this tool takes no run_id; to continue a run, call workflow_status with its run_id";
const pathRule = "must be a path inside the project";
const nameRule = "must be a plain name (letters, digits and _, no digit first, at most 64 characters)";
const task = { id: "t", title: "T" };

/** The tool, what is sent, the code, and what its message says. */
const refused: readonly (readonly [tool: string, sent: string | object, code: string, message: string | RegExp])[] = [
  ["ask_question", {}, "usage", "question: is missing"],
  ["ask_question", { question: null }, "usage", "question: must be text, not null"],
  ["ask_question", { question: ["Which?"] }, "usage", "question: must be text, not a list"],
  ["ask_question", { question: " " }, "usage", "question: must not be empty"],
  ["ask_question", { question: "\u0001\u200B" }, "usage", "question: must not be blank"],
  ["ask_question", { question: "x".repeat(10_001) }, "usage", /^question: must have at most 10,000 characters/],
  ["ask_question", { question: "Which?", run_id: "../x" }, "run-unknown", "there is no run ../x here"],
  ["answer_question", {}, "usage", "answer: is missing"],
  ["answer_question", { answer: 1 }, "usage", "answer: must be text, not a number"],
  ["answer_question", { answer: "this one" }, "question-not-open", /question/],
  ["answer_question", { answer: "this one", question_id: "__proto__" }, "question-not-open", /not open/],
  ["answer_question", { answer: "this one", question_id: long }, "usage", `question_id: ${tooLong}`],
  ["update_todo_list", {}, "usage", "content: is missing"],
  ["update_todo_list", { content: [] }, "usage", "content: must be text, not a list"],
  ["update_todo_list", { content: "no boxes" }, "todo-invalid", "the todo list has no item"],
  [
    "update_todo_list",
    { content: "- [ ] x\n".repeat(51) },
    "todo-invalid",
    "the todo list has 51 items; at most 50 are allowed",
  ],
  ["prime_context", { artifacts: "plan" }, "usage", "artifacts: must be a list, not text"],
  ["prime_context", { force: "yes" }, "usage", "force: must be true or false, not text"],
  ["prime_context", { artifacts: ["nope"] }, "artifact-unknown", /nope/],
  ["prime_context", { run_id: "nope" }, "run-unknown", /nope/],
  ["workflow_list", { all: true }, "usage", 'unknown argument "all"; this tool takes no arguments'],
  ["workflow_list", { run_id: "work-20260131_120000-ab12" }, "usage", noRunId],
  ["workflow_list", { run_id: 1 }, "usage", noRunId],
  ["workflow_start", { workflow: "work", run_id: "work-20260131_120000-ab12" }, "usage", noRunId],
  ["workflow_start", { workflow: "work", run_id: null }, "usage", noRunId],
  ["workflow_start", {}, "usage", "workflow: is missing"],
  ["workflow_start", { workflow: null }, "usage", "workflow: must be text, not null"],
  ["workflow_start", { workflow: 3 }, "usage", "workflow: must be text, not a number"],
  ["workflow_start", { workflow: ["plan"] }, "usage", "workflow: must be text, not a list"],
  ["workflow_start", { workflow: "" }, "usage", "workflow: must not be empty"],
  ["workflow_start", { workflow: long }, "usage", `workflow: ${tooLong}`],
  ["workflow_start", { workflow: "nope" }, "workflow-unknown", /^there is no workflow "nope"$/],
  ["workflow_start", { workflow: "__proto__" }, "workflow-unknown", 'there is no workflow "__proto__"'],
  ["workflow_start", { workflow: "../outside.yaml" }, "workflow-unknown", /outside\.yaml/],
  ["workflow_start", { workflow: "/etc/passwd" }, "workflow-unknown", /passwd/],
  ["workflow_start", { workflow: "a\u0000b.yaml" }, "workflow-unknown", 'there is no workflow "a\\u0000b.yaml"'],
  ["workflow_start", { workflow: "work", summary: 1 }, "usage", "summary: must be text, not a number"],
  ["workflow_start", { workflow: "work", variables: [] }, "usage", "variables: must be an object, not a list"],
  ["workflow_start", { workflow: "work", variables: { "1x": 1 } }, "usage", `variables.1x: ${nameRule}`],
  ["workflow_start", { workflow: "work", variables: { "a b": 1 } }, "usage", `variables.a b: ${nameRule}`],
  [
    "workflow_start",
    { workflow: "work", variables: { a: null } },
    "usage",
    "variables.a: must be text, a number, true or false, not null",
  ],
  [
    "workflow_start",
    { workflow: "work", variables: { a: {} } },
    "usage",
    "variables.a: must be text, a number, true or false, not an object",
  ],
  [
    "workflow_start",
    '{"workflow":"work","variables":{"__proto__":"x"}}',
    "usage",
    'variables: "__proto__" is a reserved name; use another',
  ],
  [
    "workflow_start",
    { workflow: "work", variables: { constructor: "x" } },
    "usage",
    'variables.constructor: "constructor" is a reserved name; use another',
  ],
  ["workflow_start", { workflow: "work", another: true }, "usage", /^unknown argument "another"; the arguments are/],
  ["workflow_start", { workflow: "work", trust: true }, "usage", /^unknown argument "trust"/],
  ["workflow_status", { run_id: null }, "usage", "run_id: must be text, not null"],
  ["workflow_status", { run_id: {} }, "usage", "run_id: must be text, not an object"],
  ["workflow_status", { run_id: long }, "usage", `run_id: ${tooLong}`],
  ["workflow_status", { run_id: "nope" }, "run-unknown", "there is no run nope here"],
  ["workflow_status", { run_id: "" }, "run-unknown", 'there is no run "" here'],
  ["workflow_status", { run_id: "../../etc" }, "run-unknown", "there is no run ../../etc here"],
  ["workflow_status", { run_id: "work-20260131_120000-ab12" }, "run-unknown", /ab12/],
  ["workflow_status", { run_id: "a\u0000b" }, "run-unknown", 'there is no run "a\\u0000b" here'],
  ["workflow_status", { runid: "x" }, "usage", 'unknown argument "runid"; did you mean run_id?'],
  ["workflow_set_tasks", {}, "usage", "loop_id: is missing"],
  ["workflow_set_tasks", { loop_id: "build" }, "usage", "tasks: is missing"],
  ["workflow_set_tasks", { loop_id: "build", tasks: "t1" }, "usage", "tasks: must be a list, not text"],
  ["workflow_set_tasks", { loop_id: "build", tasks: null }, "usage", "tasks: must be a list, not null"],
  ["workflow_set_tasks", { loop_id: "build", tasks: ["t1"] }, "usage", "tasks 1: must be an object, not text"],
  ["workflow_set_tasks", { loop_id: "build", tasks: [task, { id: "u" }] }, "usage", "tasks 2.title: is missing"],
  [
    "workflow_set_tasks",
    { loop_id: "build", tasks: [{ id: 1, title: "T" }] },
    "usage",
    "tasks 1.id: must be text, not a number",
  ],
  [
    "workflow_set_tasks",
    { loop_id: "build", tasks: [{ ...task, description: 5 }] },
    "usage",
    "tasks 1.description: must be text, not a number",
  ],
  [
    "workflow_set_tasks",
    { loop_id: "build", tasks: [{ id: "", title: "T" }] },
    "task-invalid",
    /^task 1: the id must be text/,
  ],
  [
    "workflow_set_tasks",
    { loop_id: "build", tasks: [{ id: "t", title: " " }] },
    "task-invalid",
    /^task 1: the title must be/,
  ],
  [
    "workflow_set_tasks",
    { loop_id: "build", tasks: [{ id: "t", title: "a\u0007" }] },
    "task-invalid",
    /^task 1: the title/,
  ],
  [
    "workflow_set_tasks",
    { loop_id: "build", tasks: [{ id: "t", title: long }] },
    "task-invalid",
    /at most 500 characters/,
  ],
  ["workflow_set_tasks", { loop_id: "build", tasks: [task, task] }, "task-invalid", 'task 2: the id "t" occurs twice'],
  ["workflow_set_tasks", { loop_id: "nope", tasks: [] }, "loop-unknown", '"nope" is not a loop of this workflow'],
  ["workflow_set_tasks", { loop_id: "plan", tasks: [] }, "loop-unknown", '"plan" is not a loop of this workflow'],
  [
    "workflow_set_tasks",
    { loop_id: "__proto__", tasks: [] },
    "loop-unknown",
    '"__proto__" is not a loop of this workflow',
  ],
  [
    "workflow_set_tasks",
    { loop_id: "constructor", tasks: [] },
    "loop-unknown",
    '"constructor" is not a loop of this workflow',
  ],
  ["workflow_set_tasks", { loop_id: long, tasks: [] }, "usage", `loop_id: ${tooLong}`],
  ["workflow_set_tasks", { loop: "build", tasks: [] }, "usage", "loop_id: is missing"],
  ["workflow_advance", { output: 7 }, "usage", "output: must be text, not a number"],
  ["workflow_advance", { output: null }, "usage", "output: must be text, not null"],
  ["workflow_advance", { output: ["x"] }, "usage", "output: must be text, not a list"],
  ["workflow_advance", { output: huge }, "usage", "output: must have at most 1,000,000 characters, not 1,000,001"],
  ["workflow_advance", { failed: "yes" }, "usage", "failed: must be true or false, not text"],
  ["workflow_advance", { failed: true, output: " " }, "usage", "output: must say why the work failed"],
  ["workflow_advance", { outcome: true }, "usage", "outcome: must be text, not true"],
  ["workflow_advance", {}, "outcome-needed", 'the step "plan" needs an outcome: good, bad'],
  [
    "workflow_advance",
    { outcome: "great" },
    "outcome-unknown",
    '"great" is not one of this step\'s outcomes: good, bad',
  ],
  [
    "workflow_set_tasks",
    '{"loop_id":"build","tasks":[{"id":"t","title":"T"},{"id":"u","title":"U","__proto__":"x"}]}',
    "usage",
    'tasks 2: "__proto__" is a reserved name; use another',
  ],
  [
    "workflow_advance",
    { outcome: "__proto__" },
    "outcome-unknown",
    '"__proto__" is not one of this step\'s outcomes: good, bad',
  ],
  [
    "workflow_advance",
    { outcome: "good", failed: true, output: "x" },
    "outcome-unexpected",
    "a failed visit has no outcome",
  ],
  ["workflow_advance", { outcome: "good", token: "plan#9" }, "step-stale", "plan#9 is not an open visit of this run"],
  ["workflow_advance", { outcome: "good", token: "" }, "step-stale", /is not an open visit of this run$/],
  ["workflow_advance", { outcome: "good", token: long }, "usage", `token: ${tooLong}`],
  ["workflow_advance", { outcome: "good", token: 1 }, "usage", "token: must be text, not a number"],
  [
    "workflow_advance",
    { outcome: "good", variables: { a: huge } },
    "usage",
    "variables.a: must have at most 10,000 characters, not 1,000,001",
  ],
  ["workflow_advance", '{"outcome":"good","variables":{"a":1e999}}', "usage", /^variables\.a: must be text, a number/],
  ["workflow_advance", { outcome: "good", artifacts: "x" }, "usage", "artifacts: must be an object, not text"],
  ["workflow_advance", { outcome: "good", artifacts: { a: 1 } }, "usage", "artifacts.a: must be text, not a number"],
  ["workflow_advance", { outcome: "good", artifacts: { a: "" } }, "usage", "artifacts.a: must not be empty"],
  ["workflow_advance", { outcome: "good", artifacts: { a: "../x" } }, "usage", `artifacts.a: ${pathRule}`],
  ["workflow_advance", { outcome: "good", artifacts: { a: "docs/../../x" } }, "usage", `artifacts.a: ${pathRule}`],
  [
    "workflow_advance",
    { outcome: "good", artifacts: { a: "/etc/passwd" } },
    "path-outside",
    'the artifact "a" is at /etc/passwd, which is outside the project',
  ],
  ["workflow_advance", { outcome: "good", artifacts: { a: "~/x" } }, "usage", `artifacts.a: ${pathRule}`],
  ["workflow_advance", { outcome: "good", artifacts: { a: "C:\\x" } }, "usage", `artifacts.a: ${pathRule}`],
  ["workflow_advance", { outcome: "good", artifacts: { a: "a\u0000b" } }, "usage", `artifacts.a: ${pathRule}`],
  ["workflow_advance", { outcome: "good", artifacts: { "a-b": "x" } }, "usage", `artifacts.a-b: ${nameRule}`],
  [
    "workflow_advance",
    '{"outcome":"good","artifacts":{"__proto__":"x"}}',
    "usage",
    'artifacts: "__proto__" is a reserved name; use another',
  ],
  ["workflow_advance", { ouput: "x" }, "usage", 'unknown argument "ouput"; did you mean output?'],
  ["workflow_advance", { [long]: "x" }, "usage", /^unknown argument "x{100}…"; the arguments are output, /],
  ["workflow_advance", { outcome: "good", run_id: "nope" }, "run-unknown", "there is no run nope here"],
  ["workflow_context", { step: 1 }, "usage", "step: must be text, not a number"],
  ["workflow_context", { step: "nope" }, "step-unknown", '"nope" is not a step of this workflow'],
  ["workflow_context", { step: "toString" }, "step-unknown", '"toString" is not a step of this workflow'],
  ["workflow_context", { run_id: "nope" }, "run-unknown", "there is no run nope here"],
  ["register_artefacts", {}, "usage", "paths: is missing"],
  ["register_artefacts", { paths: "a" }, "usage", "paths: must be a list, not text"],
  ["register_artefacts", { paths: [] }, "usage", "paths: must not be an empty list"],
  ["register_artefacts", { paths: [1] }, "usage", "paths 1: must be text, not a number"],
  ["register_artefacts", { paths: ["a", null] }, "usage", "paths 2: must be text, not null"],
  [
    "register_artefacts",
    { paths: Array(1_001).fill("a") },
    "usage",
    "paths: must have at most 1,000 entries, not 1,001",
  ],
];

/** Paths that are no artefacts of the project. */
const strange = [
  "../outside.txt",
  "docs/../../outside.txt",
  "/etc/passwd",
  "link.txt",
  "folder-link/outside.txt",
  "docs",
  "missing.txt",
  "",
  ".",
  "a\u0000b",
  "x".repeat(5_000),
  "__proto__",
  "~/x",
  "C:\\x",
];

async function begin(): Promise<{ project: Project; server: Server }> {
  const project = workingProject();
  const server = await serveHere(project, asAgent);
  await server.ok("workflow_start", { workflow: "work" });
  return { project, server };
}

const asAgent = { env: { HOLDFAST_SESSION: "agent-1" } };

function workingProject(): Project {
  const project = createProject();
  addWorkflow(project, "work", workflow);
  project.write("docs/plan.md", "a plan\n");
  project.write("../outside.txt", "not of the project\n");
  symlinkSync(join(project.root, "../outside.txt"), join(project.root, "link.txt"));
  symlinkSync(join(project.root, ".."), join(project.root, "folder-link"));
  return project;
}

/** A call whose arguments are these very bytes. */
async function callWith(server: Server, name: string, sent: string | object): Promise<Json> {
  if (typeof sent !== "string") return server.call(name, sent);
  const before = server.strays.length;
  server.write(`{"jsonrpc":"2.0","id":"raw","method":"tools/call","params":{"name":"${name}","arguments":${sent}}}\n`);
  await until("an answer", () => server.strays.length > before);
  return server.strays.at(-1).result;
}

test(`${refused.length} bad calls get a clear no each, and one long-lived server writes nothing for any of them`, async () => {
  const { project, server } = await begin();
  const before = project.journal();
  for (const [tool, sent, code, message] of refused) {
    const about = `${tool} ${JSON.stringify(sent).slice(0, 200)}`;
    const { isError, structuredContent } = await callWith(server, tool, sent);
    expect({ about, isError, ...structuredContent }).toEqual({
      about,
      isError: true,
      error: {
        code,
        message: typeof message === "string" ? message : expect.stringMatching(message),
        next: expect.stringMatching(/\w/),
      },
    });
    expect(JSON.stringify(structuredContent).length, about).toBeLessThan(3_000);
    expect(project.journal(), about).toBe(before);
  }
  expect(await server.ok("workflow_status")).toMatchObject({ step: "plan", token: "plan#1" });
});

test("paths that lead out of the project, or to no file in it, are invalid artefacts, and nothing is written", async () => {
  const { project, server } = await begin();
  const before = project.journal();
  const sorted = await server.ok("register_artefacts", { paths: strange });
  expect(sorted).toEqual({ registered: [], duplicates: [], invalid: expect.any(Array) });
  expect(sorted.invalid).toHaveLength(strange.length);
  expect(project.journal()).toBe(before);
  const mixed = await server.ok("register_artefacts", { paths: ["link.txt", "docs/plan.md", "./docs//plan.md"] });
  expect(mixed).toEqual({ registered: ["docs/plan.md"], duplicates: ["docs/plan.md"], invalid: ["link.txt"] });
});

test("an absolute path inside the project is made relative, also through a link to the project", async () => {
  const { project, server } = await begin();
  symlinkSync(project.root, join(project.home, "shortcut"));
  const linked = join(project.home, "shortcut/docs/plan.md");
  expect(await server.ok("register_artefacts", { paths: [join(project.root, "docs/plan.md"), linked] })).toEqual({
    registered: ["docs/plan.md"],
    duplicates: ["docs/plan.md"],
    invalid: [],
  });
  const artifacts = { plan: linked, later: join(project.root, "docs/later.md"), plain: "docs/plan.md" };
  await server.ok("workflow_advance", { outcome: "good", artifacts });
  const { events } = (await project.json(["log"])).value;
  expect(events.find(({ type }: Json) => type === "visit-ended")).toMatchObject({
    artifacts: { plan: "docs/plan.md", later: "docs/later.md", plain: "docs/plan.md" },
  });
  expect(project.journal()).not.toContain(project.root);
});

test("half characters and control characters in an output are kept as they came, and read again", async () => {
  const { server } = await begin();
  const output = "a\ud800b\u0000\u001b[31m\u2028";
  await server.ok("workflow_advance", { output, outcome: "bad" });
  expect((await server.ok("workflow_context")).outputs.plan).toBe(output);
});

/** Protocol mistakes: the line, and the code of the error that answers it. */
const mistakes: readonly (readonly [name: string, message: object, code: number])[] = [
  ["an unknown tool", { method: "tools/call", params: { name: "workflow_nope", arguments: {} } }, -32602],
  ["a tool named __proto__", { method: "tools/call", params: { name: "__proto__", arguments: {} } }, -32602],
  ["a tool without a name", { method: "tools/call", params: { arguments: {} } }, -32602],
  ["arguments that are a list", { method: "tools/call", params: { name: "workflow_status", arguments: [] } }, -32602],
  ["arguments that are null", { method: "tools/call", params: { name: "workflow_status", arguments: null } }, -32602],
  ["an unknown method", { method: "tools/nope" }, -32601],
  ["a resource of no kind that we have", { method: "resources/read", params: { uri: "holdfast://nope" } }, -32602],
  ["a resource of no run", { method: "resources/read", params: { uri: "holdfast://runs/nope" } }, -32602],
  ["a resource outside", { method: "resources/read", params: { uri: "file:///etc/passwd" } }, -32602],
  ["a prompt that is not there", { method: "prompts/get", params: { name: "nope" } }, -32602],
  ["a prompt with a number", { method: "prompts/get", params: { name: "start", arguments: { workflow: 5 } } }, -32602],
  ["a prompt with no map", { method: "prompts/get", params: { name: "start", arguments: "x" } }, -32602],
  ["a prompt with null", { method: "prompts/get", params: { name: "start", arguments: null } }, -32602],
  ["a prompt with no name", { method: "prompts/get", params: {} }, -32602],
  ["a prompt whose name is a number", { method: "prompts/get", params: { name: 7 } }, -32602],
  ["a resource whose address is a number", { method: "resources/read", params: { uri: 7 } }, -32602],
  ["a list from a number", { method: "tools/list", params: { cursor: 7 } }, -32602],
  ["a prompt without its workflow", { method: "prompts/get", params: { name: "start", arguments: {} } }, -32602],
];

test("protocol mistakes are answered as protocol errors, and the server lives on", async () => {
  const { project, server } = await begin();
  const before = project.journal();
  const seen = [];
  for (const [name, message] of mistakes) {
    const { method, params } = { params: {}, ...message } as Json;
    const { error, result } = await server.request(method, params);
    seen.push([name, error?.code ?? JSON.stringify(result)]);
  }
  expect(seen).toEqual(mistakes.map(([name, , code]) => [name, code]));
  expect(project.journal()).toBe(before);
  expect(await server.ok("workflow_status")).toMatchObject({ step: "plan" });
});

test("a run that cannot be read is the server's trouble, not a mistake of who asked for it", async () => {
  const { project, server } = await begin();
  const { runId } = await server.ok("workflow_status");
  project.write(`.holdfast/runs/${runId}/journal.jsonl`, "no journal\n");
  const { error } = await server.request("resources/read", { uri: `holdfast://runs/${runId}` });
  expect(error).toMatchObject({ code: -32603, message: expect.stringContaining("holdfast repair") });
});

const noJson = "the line is not JSON, so it was ignored; send each message as JSON on a line of its own";
const noMessage = "the line is not a JSON-RPC 2.0 message of MCP, so it was ignored; compare it with the MCP schema";
const tooMuch = "the line is longer than 10485760 bytes, so it was ignored; send less at once";

/** Lines that are no request: the line, and the error that answers it, with its id; null where nothing does. */
const lost: readonly (readonly [
  name: string,
  line: string,
  answer: readonly [id: string | undefined, code: number, message: string] | null,
])[] = [
  ["no JSON", "this is no JSON\n", [undefined, -32700, noJson]],
  ["half a JSON", '{"jsonrpc":"2.0","id":1,\n', [undefined, -32700, noJson]],
  ["bytes that are no text", "\u0000\u0001\u0002\n", [undefined, -32700, noJson]],
  ["a deep nest", `${"[".repeat(100_000)}\n`, [undefined, -32700, noJson]],
  ["a deep nest that ends", `${"[".repeat(100_000)}${"]".repeat(100_000)}\n`, [undefined, -32600, noMessage]],
  ["a batch", '[{"jsonrpc":"2.0","id":"b","method":"tools/list"}]\n', [undefined, -32600, noMessage]],
  ["a number", "42\n", [undefined, -32600, noMessage]],
  ["null", "null\n", [undefined, -32600, noMessage]],
  ["no version", '{"id":"v","method":"tools/list"}\n', ["v", -32600, noMessage]],
  ["another version", '{"jsonrpc":"1.0","id":7.5,"method":"tools/list"}\n', [undefined, -32600, noMessage]],
  ["a method that is a number", '{"jsonrpc":"2.0","id":"m","method":1}\n', ["m", -32600, noMessage]],
  [
    "parameters that are a list",
    '{"jsonrpc":"2.0","id":"p","method":"tools/list","params":[]}\n',
    ["p", -32600, noMessage],
  ],
  ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"tools/list"}\n', [undefined, -32600, noMessage]],
  [
    "a line of 11 MB",
    `{"jsonrpc":"2.0","id":"l","method":"${"x".repeat(11_000_000)}"}\n`,
    [undefined, -32600, tooMuch],
  ],
  ["an empty line", "\n", null],
  ["an empty line of another system", "\r\n", null],
  ["half an answer", '{"jsonrpc":"2.0","id":3,"error":{}}\n', null],
  ["what we answer a lost line with", '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}\n', null],
  ["an answer to nothing", '{"jsonrpc":"2.0","id":99,"result":{}}\n', null],
];

test("a line that is no message is answered, changes nothing, and the next call is answered too", async () => {
  const { project, server } = await begin();
  const before = project.journal();
  for (const [name, line, answer] of lost) {
    server.write(line);
    expect(await server.ok("workflow_status"), name).toMatchObject({ step: "plan" });
    expect(project.journal(), name).toBe(before);
    const strays = server.strays.splice(0).map(({ id, error }) => [id, error.code, error.message]);
    expect({ name, strays }).toEqual({ name, strays: answer === null ? [] : [answer] });
  }
});
