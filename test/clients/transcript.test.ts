import { join } from "node:path";
import { expect, test } from "vitest";
import { giveSecret } from "../mcp/serve.ts";
import { openClaude } from "./claude.ts";
import { type ClaudeRequest, isCompaction } from "./claude-request.ts";
import { call, installedProject, startPlannedModel } from "./continuity.ts";
import { claudeVersions } from "./programs.ts";
import type { Reply } from "./reply.ts";
import { textIn } from "./text-in.ts";

const introduction = `# What the model sees

A whole run of the built-in workflow \`feature\`, in one conversation of the real Claude Code with a scripted model. It shows
everything that Holdfast puts before the model, in order, except for the list of its tools, and nothing of Claude Code's own.
Results of tools are JSON; here their line breaks are shown as line breaks. A test makes this page and fails when it no longer
holds (\`test/clients/transcript.test.ts\`).
`;

const request = `Add a dark mode.
It follows the system setting, and a switch in the settings overrides it. Existing users keep the light mode.`;

const tasks = [
  { id: "t1", title: "Colours as variables", description: "No colour is written out in a component" },
  { id: "t2", title: "The switch", description: "In the settings; kept over a reload" },
];

const approved = { output: "No findings.", outcome: "approved" };

test("a whole run of the feature workflow is told completely and truly", async () => {
  const project = await installedProject("claude");
  project.write("README.md", "# A project\n");
  const person = giveSecret(project);
  const model = await startPlannedModel();
  const session = await openClaude({
    project,
    model,
    mcpConfig: join(project.root, ".mcp.json"),
    allowedTools: ["mcp__holdfast__*", "Write"],
    words: ["--model", "claude-sonnet-4-5"],
    version: claudeVersions.newest,
  });
  const page = createPage(introduction);
  const turn = async (prompt: string, ...replies: readonly Reply[]) => {
    model.plan(...replies);
    const from = model.requests.length;
    await session.prompt(prompt);
    page.add(prompt, model.requests.slice(from), replies);
  };

  await turn(
    `Start the feature workflow: ${request}`,
    call("workflow_start", { workflow: "feature", request }),
    call("workflow_advance", {
      output: "Criteria: follows the system, a switch, light stays the default.",
      token: "understand#1",
    }),
    call("workflow_advance", { output: "Planned.", token: "plan#1" }),
    {
      calls: [
        {
          name: "Write",
          input: { file_path: join(project.root, "docs/plan.md"), content: "# Dark mode\n\n1. Colours\n2. Switch\n" },
        },
      ],
    },
    call("workflow_advance", { output: "The plan is in docs/plan.md: two tasks.", token: "plan#1" }),
    call("workflow_advance", approved),
    call("workflow_advance", { output: "Shown: two tasks, no new dependency." }),
    { text: "The plan is ready. Please approve it with `holdfast approve`." },
  );
  await project.holdfast(["approve", "--reason", "Good. Keep the switch on the first page.", ...person]);
  page.aside('The person runs `holdfast approve --reason "Good. Keep the switch on the first page."` in a terminal.');
  await turn(
    "I have approved it.",
    call("workflow_status"),
    call("workflow_advance", { output: "Shown: two tasks, no new dependency." }),
    call("workflow_set_tasks", { loop_id: "build", tasks }),
    { text: "Please type /compact, then say: go on." },
  );
  await turn("/compact");
  await turn(
    "go on",
    call("workflow_status"),
    call("workflow_advance", { output: "Colours are variables now." }),
    call("workflow_advance", { output: "All tests pass." }),
    { text: "Please type /compact, then say: go on." },
  );
  await turn(
    "go on without it",
    call("workflow_status"),
    call("workflow_advance", { output: "The switch is on the first page." }),
    call("workflow_advance", { output: "All tests pass." }),
    call("workflow_advance", { output: "Removed a leftover." }),
    call("workflow_advance", { output: "Nothing more." }),
    call("workflow_advance", approved),
    call("workflow_advance", { output: "The guide tells about the switch." }),
    call("workflow_advance", { output: "Ready to merge on the branch dark-mode." }),
    { text: "Done." },
  );
  await turn("Where are we?", call("workflow_status"), { text: "It is complete." });

  const { runId } = (await project.json(["runs"])).value.runs[0];
  await expect(page.text(project.root, runId)).toMatchFileSnapshot("../../docs/transcript.md");
});

/** Collects what came before the model, turn by turn. */
function createPage(head: string) {
  const parts = [head];
  return {
    aside: (text: string) => parts.push(`*${text}*\n`),
    add(prompt: string, requests: readonly ClaudeRequest[], replies: readonly Reply[]) {
      parts.push(`## The person: ${prompt.split("\n")[0]}\n`);
      const main = requests.filter((each) => isCompaction(each) || each.tools.length > 0);
      main.forEach((each, index) => {
        parts.push(...seenIn(each).map((text) => `${fenced(text)}\n`));
        const reply = isCompaction(each) ? undefined : replies[index];
        if (reply !== undefined) parts.push(`**The model:** ${replyText(reply)}\n`);
      });
    },
    /** With names in place of what differs from run to run. */
    text: (root: string, runId: string) =>
      parts
        .join("\n")
        .replaceAll(root, "/project")
        .replaceAll(runId, "feature-20261115_120000-k3f9")
        .replace(/ id="[0-9a-f]{8}-/g, ' id="5f0c2a91-')
        .replace(/[ \t]+$/gm, "")
        .replace(/ at="[^"]*"/g, ' at="2026-11-15T12:00:00.000Z"'),
  };
}

/** What is new in a request and comes from us: results of our tools, what hooks add, and the words for a compaction. */
function seenIn(request: ClaudeRequest): string[] {
  if (isCompaction(request))
    return [/A Holdfast workflow [\s\S]*?after the compaction\./.exec(textIn(request.messages))?.[0] ?? ""];
  const last = request.messages.findLastIndex(({ role }) => role === "assistant");
  const fresh = request.messages
    .slice(last + 1)
    .flatMap(({ content }): unknown[] => (typeof content === "string" ? [content] : content));
  const first = last === -1 ? serverInstructions(request) : [];
  return [...first, ...fresh.flatMap((block) => ourTexts(block))];
}

function ourTexts(block: unknown): string[] {
  const text = textIn(block);
  const isResult = typeof block === "object" && block !== null && "type" in block && block.type === "tool_result";
  if (isResult) return text.startsWith("{") ? [unfolded(text)] : [];
  const handoff = /<holdfast [\s\S]*?<\/holdfast>/.exec(text)?.[0];
  const line = /^.*Holdfast: .*$/m.exec(text)?.[0];
  return [handoff ?? line ?? ""].filter((each) => each !== "");
}

function serverInstructions(request: ClaudeRequest): string[] {
  const found = /Holdfast keeps you on a workflow[\s\S]*?(?=\n\n|\n#|<\/|$)/.exec(
    textIn([request.system, request.messages]),
  );
  return found === null ? [] : [found[0]];
}

/** JSON with its line breaks shown, so that a person can read it. */
function unfolded(text: string): string {
  // Claude Code may add remarks of its own after the result.
  const [json = ""] = text.split("\n");
  return JSON.stringify(JSON.parse(json), null, 2).replace(/\\n/g, "\n    ").replace(/\\"/g, '"');
}

function fenced(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
}

function replyText({ text, calls = [] }: Reply): string {
  const made = calls.map(({ name, input }) => `\`${name.replace("mcp__holdfast__", "")} ${JSON.stringify(input)}\``);
  return [...(text === undefined ? [] : [text]), ...made].join(" ");
}
