import { cpSync, existsSync, linkSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProject, type Project, program } from "../cli/program.ts";
import { addWorkflow, giveSecret, type Json } from "./serve.ts";

const flow = `
steps:
  - { id: plan, type: action, instructions: Plan it, gate: [{ approval: human }] }
  - { id: build, type: action, instructions: Build the BOAT }
`;

type Answer = { readonly action: "accept" | "decline" | "cancel"; readonly content?: Record<string, string> };

interface Talk {
  readonly project: Project;
  /** The forms that the person was shown. */
  readonly forms: Json[];
  /** What the person answers to the next forms, in turn. Without an answer they press Escape. */
  answer(...answers: readonly (Answer | (() => Promise<Answer>))[]): void;
  call(name: string, input?: Json): Promise<Json>;
}

/** The file name of the program that starts the server decides whether it is known as Claude Code. */
async function talk(
  how: {
    parent?: string;
    /** The program whose shell starts the parent; without one, nothing is above it. */
    above?: string;
    words?: readonly string[];
    mode?: "legacy" | "auto";
    yaml?: string;
    dialog?: boolean;
    /** Variables that the parent is started with. */
    variables?: Readonly<Record<string, string>>;
  } = {},
): Promise<Talk> {
  const { parent = "claude", above, words = [], mode = "auto", yaml = flow, dialog = true, variables } = how;
  const project = createProject();
  addWorkflow(project, "ship", yaml);
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode }, ...(dialog && { capabilities: { elicitation: { form: {} } } }) },
  );
  const forms: Json[] = [];
  const answers: (Answer | (() => Promise<Answer>))[] = [];
  if (dialog) {
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      forms.push(params);
      const next = answers.shift() ?? { action: "cancel" };
      return typeof next === "function" ? await next() : { ...next };
    });
  }
  const args = [join(import.meta.dirname, "workers/start-server.mjs"), process.execPath, program, ...words];
  const alone = { NODE_OPTIONS: `--import=${join(import.meta.dirname, "workers/nothing-above.mjs")}` };
  const env = { ...project.env, HOLDFAST_SESSION: "agent-1", ...(above === undefined && alone), ...variables };
  onTestFinished(() => client.close());
  const host = hostNamed(project, parent);
  const started =
    above === undefined
      ? { command: host, args }
      : { command: hostNamed(project, above), args: ["-e", inShell, host, ...args] };
  await client.connect(new StdioClientTransport({ ...started, cwd: project.root, env }));
  const call = async (name: string, input: Json = {}) =>
    ((await client.callTool({ name, arguments: input })) as Json).structuredContent;
  await call("workflow_start", { workflow: "ship" });
  return { project, forms, call, answer: (...more) => answers.push(...more) };
}

/** Starts its arguments as an agent's shell does. */
const inShell = `require("node:child_process")
  .spawn("sh", ["-c", '"$0" "$@"; exit $?', ...process.argv.slice(1)], { stdio: "inherit" })
  .on("exit", (code) => process.exit(code ?? 1))`;

/** Node under another name. */
function hostNamed(project: Project, name: string): string {
  const file = join(project.home, "bin", name);
  if (existsSync(file)) return file;
  mkdirSync(join(project.home, "bin"), { recursive: true });
  try {
    linkSync(process.execPath, file);
  } catch {
    cpSync(process.execPath, file);
  }
  return file;
}

function eventsOf(project: Project, type: string): Json[] {
  const commits: Json[] = project
    .journal()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return commits.flatMap(({ events }) => events).filter((event: Json) => event.type === type);
}

const accept = (content: Record<string, string>): Answer => ({ action: "accept", content });

describe.each(["legacy", "auto"] as const)(
  "a person who is asked in the host's dialog, by a client of the %s kind,",
  (mode) => {
    it("approves, and the agent goes on in the same call", async () => {
      const { project, forms, call, answer } = await talk({ mode });
      answer(accept({ decision: "approve", reason: "Two oars are enough" }));
      expect(await call("workflow_advance", { output: "Two oars\u001b[31m" })).toMatchObject({ step: "build" });
      expect(forms).toEqual([
        expect.objectContaining({
          message: "ship, step plan: the agent asks for your approval.\nIt submits:\n> Two oars",
          requestedSchema: {
            type: "object",
            properties: {
              decision: { type: "string", title: "Decision", enum: ["approve", "reject"] },
              reason: { type: "string", title: "Reason", description: "Needed to reject: what has to change" },
            },
            required: ["decision"],
          },
        }),
      ]);
      expect(eventsOf(project, "approval-given")).toMatchObject([
        { via: "host-dialog", reason: "Two oars are enough" },
      ]);
    });

    it("rejects, for which a reason is needed, and the agent gets it", async () => {
      const { project, forms, call, answer } = await talk({ mode });
      answer(accept({ decision: "reject", reason: " " }), accept({ decision: "reject", reason: "Name the ropes" }));
      expect(await call("workflow_advance", { output: "x" })).toMatchObject({
        step: "plan",
        instructions: expect.stringContaining("Name the ropes"),
      });
      expect(forms[1].message).toContain("a rejection needs a reason");
      expect(eventsOf(project, "approval-refused")).toMatchObject([{ via: "host-dialog", reason: "Name the ropes" }]);
    });
  },
);

describe("a person who is asked in the host's dialog", () => {
  it("answers a question", async () => {
    const { project, forms, call, answer } = await talk();
    answer(accept({ answer: "Red, of course" }));
    const reply = await call("ask_question", { question: "Which colour?\nRed or blue?" });
    expect(reply).toMatchObject({ status: "running", instructions: expect.stringContaining("Red, of course") });
    expect(forms[0].message).toBe("ship, step plan: the agent asks you:\n> Which colour?\n> Red or blue?");
    expect(eventsOf(project, "question-answered")).toMatchObject([{ via: "host-dialog", answer: "Red, of course" }]);
  });

  it("decides about a spent budget", async () => {
    const yaml = flow.replace("Plan it", "Plan it, budget: { minutes: 0.0001 }");
    const { project, call, answer } = await talk({ yaml });
    answer(accept({ verdict: "abandon", reason: "Too dear" }));
    const reply = await call("workflow_status");
    expect(eventsOf(project, "review-decided")).toMatchObject([{ via: "host-dialog", verdict: "abandon" }]);
    expect(reply.status).toBe("failed");
  });

  it("decides about a failure, and names the step to go to", async () => {
    const { project, forms, call, answer } = await talk();
    answer(accept({ verdict: "go_to" }), accept({ verdict: "go_to", step: "build", reason: "Leave the plan" }));
    expect(await call("workflow_advance", { failed: true, output: "No paper" })).toMatchObject({ step: "build" });
    expect(forms[0].message).toBe("ship, step plan: it failed. How does the run continue?\nWhat is known:\n> No paper");
    expect(forms[1].message).toContain("To go to a step, name it.");
    expect(eventsOf(project, "failure-decided")).toMatchObject([{ via: "host-dialog", verdict: "go_to", to: "build" }]);
  });

  it("gives a variable without which the workflow cannot start", async () => {
    const { project, forms, call, answer } = await talk();
    const variables =
      "variables: { ticket: { type: text, required: true, description: The issue, pattern: 'A-[0-9]+' } }";
    addWorkflow(project, "fix", `${variables}\nsteps: [{ id: fix, type: action, instructions: "Fix {vars.ticket}" }]`);
    answer(accept({ ticket: "A-7" }));
    expect(await call("workflow_start", { workflow: "fix" })).toMatchObject({
      instructions: expect.stringContaining("Fix A-7"),
    });
    expect(forms[0].requestedSchema).toMatchObject({
      properties: { ticket: { title: "ticket" } },
      required: ["ticket"],
    });
  });

  it.each(["decline", "cancel"] as const)(
    "may %s: the run waits, and the agent is told how else they answer",
    async (action) => {
      const { project, forms, call, answer } = await talk();
      answer({ action }, { action });
      const { error } = await call("workflow_advance", { output: "x" });
      expect(error).toMatchObject({ code: "approval-needed", next: expect.stringContaining("holdfast approve") });
      // A look asks nobody a second time; the agent that asks again does.
      expect(await call("workflow_status")).toMatchObject({ status: "waiting" });
      expect(forms).toHaveLength(1);
      await call("workflow_advance", { output: "x" });
      expect(forms).toHaveLength(2);
      expect(eventsOf(project, "approval-given")).toEqual([]);
    },
  );

  it("is asked by a status, too, if the run waits since before this session", async () => {
    const { project, forms, call, answer } = await talk();
    await project.holdfast(["advance", "--output", "by hand"], { env: { HOLDFAST_SESSION: "agent-1" } });
    answer(accept({ decision: "approve" }));
    expect(await call("workflow_status")).toMatchObject({ step: "plan", status: "running" });
    expect(forms).toHaveLength(1);
  });

  it("is told who decided if someone else was faster", async () => {
    const { project, call, answer } = await talk();
    const secret = giveSecret(project);
    answer(async () => {
      await project.holdfast(["approve", ...secret]);
      return accept({ decision: "reject", reason: "No" });
    });
    const reply = await call("workflow_advance", { output: "x" });
    expect(reply).toMatchObject({ step: "build", note: expect.stringContaining("ada had decided it by then") });
    expect(eventsOf(project, "approval-refused")).toEqual([]);
  });
});

describe.each([
  ["answers", accept({ verdict: "abandon", answer: "Blue" })],
  ["leaves the form", { action: "cancel" }],
] as const)("when someone has decided elsewhere before the person %s,", (_what, late) => {
  it("a failure is not reported a second time", async () => {
    const { project, call, answer } = await talk();
    const secret = giveSecret(project);
    answer(async () => {
      await project.holdfast(["decide", "retry", ...secret]);
      return late;
    });
    const reply = await call("workflow_advance", { failed: true, output: "No paper" });
    expect(reply).toMatchObject({ step: "plan", status: "running" });
    expect(eventsOf(project, "visit-failed")).toHaveLength(1);
  });

  it("a question is not asked a second time", async () => {
    const { project, call, answer } = await talk();
    const secret = giveSecret(project);
    answer(async () => {
      await project.holdfast(["answer", "Red", ...secret]);
      return late;
    });
    const reply = await call("ask_question", { question: "Which colour?" });
    expect(reply).toMatchObject({ status: "running", instructions: expect.stringContaining("Red") });
    expect(eventsOf(project, "question-asked")).toHaveLength(1);
  });
});

describe("nobody is asked in a dialog", () => {
  const refused = { error: { code: "approval-needed" } };

  it("if the workflow wants the approval in a terminal", async () => {
    const yaml = flow.replace("approval: human", "approval: { human: [terminal] }");
    const { project, forms, call } = await talk({ yaml });
    expect(await call("workflow_advance", { output: "x" })).toMatchObject(refused);
    expect(forms).toEqual([]);
    expect((await project.holdfast(["approve", ...giveSecret(project)])).code).toBe(0);
    expect(await call("workflow_advance", { output: "x" })).toMatchObject({ step: "build" });
  });

  it("by a server that an agent has started itself", async () => {
    const { forms, call, answer } = await talk({ parent: "my-script" });
    answer(accept({ decision: "approve" }));
    expect(await call("workflow_advance", { output: "x" })).toMatchObject(refused);
    expect(forms).toEqual([]);
  });

  it.each([
    ["below another agent", { above: "codex" }],
    ["below another one of its kind", { above: "claude" }],
    ["in an agent's shell", { variables: { CLAUDECODE: "1" } }],
  ])("by a host that an agent has started %s", async (_, how) => {
    const { forms, call, answer } = await talk(how);
    answer(accept({ decision: "approve" }));
    expect(await call("workflow_advance", { output: "x" })).toMatchObject(refused);
    expect(forms).toEqual([]);
  });

  it.each(["-p", "--print", "-cp", "--input-format=stream-json"])(
    "by a host that a program drives with %s",
    async (word) => {
      const { forms, call, answer } = await talk({ words: [word] });
      answer(accept({ decision: "approve" }));
      expect(await call("workflow_advance", { output: "x" })).toMatchObject(refused);
      expect(forms).toEqual([]);
    },
  );

  it.each(["hooks/hooks.json", ".claude-plugin/plugin.json", "more/hooks.json"])(
    "if a plugin's %s answers in their place",
    async (file) => {
      const { project, forms, call, answer } = await talk();
      answer(accept({ decision: "approve" }));
      const installed = { plugins: { "yes@market": [{ installPath: join(project.home, "yes") }] } };
      project.write("../home/.claude/plugins/installed_plugins.json", JSON.stringify(installed));
      project.write("../home/yes/.claude-plugin/plugin.json", '{"name":"yes","hooks":"./more/hooks.json"}');
      project.write(`../home/yes/${file}`, '{"hooks":{"Elicitation":[]}}');
      expect(await call("workflow_advance", { output: "x" })).toMatchObject(refused);
      expect(forms).toEqual([]);
    },
  );

  it.each([".claude/settings.json", ".claude/settings.local.json", "../home/.claude/settings.json"])(
    "if a hook in %s answers in their place",
    async (file) => {
      const { project, forms, call, answer } = await talk();
      answer(accept({ decision: "approve" }));
      project.write(
        file,
        JSON.stringify({ hooks: { Elicitation: [{ hooks: [{ type: "command", command: "yes" }] }] } }),
      );
      expect(await call("workflow_advance", { output: "x" })).toMatchObject(refused);
      expect(forms).toEqual([]);
    },
  );

  it("if such a hook appears while the form is open, which makes its answer void", async () => {
    const { project, forms, call, answer } = await talk();
    answer(async () => {
      project.write(".claude/settings.local.json", '{"hooks":{"Elicitation":[]}}');
      return accept({ decision: "approve" });
    });
    expect(await call("workflow_advance", { output: "x" })).toMatchObject(refused);
    expect(forms).toHaveLength(1);
    expect(eventsOf(project, "approval-given")).toEqual([]);
  });

  it("by a client that has no dialog", async () => {
    const { call } = await talk({ dialog: false });
    expect(await call("workflow_advance", { output: "x" })).toMatchObject(refused);
  });
});
