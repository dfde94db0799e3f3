// What the tool surface costs a model before it has done anything, in tokens (o200k). Started by run.ts.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { evolve } from "../src/engine/evolve/evolve.ts";
import { view } from "../src/engine/view/view.ts";
import { rulesText } from "../src/handoff/rules.ts";
import type { Run } from "../src/model/run.ts";
import { isLive } from "../src/model/run-state.ts";
import { eventsOfRun, longRun, template } from "./long-run.ts";
import { openServer } from "./mcp-client.ts";
import { makeProject } from "./project.ts";
import { report } from "./report.ts";

interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
}

const [, , program = ""] = process.argv;
const { folder, remove } = await makeProject([longRun(10)]);
try {
  const server = openServer(program, ["mcp"], folder);
  await server.open();
  const { tools } = (await server.call("tools/list", {})) as { readonly tools: readonly ListedTool[] };
  await server.close();
  const rows = tools.map(({ name, description, inputSchema }) => ({
    name,
    tokens: countTokens(JSON.stringify({ name, description, inputSchema })),
  }));
  const total = rows.reduce((sum, row) => sum + row.tokens, 0);
  const everything = countTokens(JSON.stringify(tools));
  const reply = countTokens(JSON.stringify(typicalStatus()));
  const rules = countTokens(longestRules());
  const met = report([
    {
      name: "tokens of the whole tool surface: names, descriptions and input schemas",
      rows: [["tool", "tokens"], ...rows.map(({ name, tokens }) => [name, String(tokens)]), ["all", String(total)]],
      value: total,
      most: 1_500,
    },
    {
      name: "tokens of the whole answer to tools/list, with output schemas and annotations",
      rows: [["tools/list", String(everything)]],
      value: everything,
      most: 3_000,
    },
    { name: "tokens of the rules at their longest", rows: [["rules", String(rules)]], value: rules, most: 400 },
    { name: "tokens of a status without its instructions", rows: [["reply", String(reply)]], value: reply, most: 250 },
  ]);
  process.exitCode = met ? 0 : 1;
} finally {
  remove();
}

/** Far more rules than fit, in scripts that take few and many tokens. */
function longestRules(): string {
  const many = (text: string) => Array.from({ length: 60 }, (_, n) => `${n} ${text}`);
  const gates = ["`npm test` passes", "docs/plan.md exists", "a person approves"];
  return ["keep to one task, and test it", "\u6c49\u5b57\u6c49\u5b57\u6c49\u5b57"]
    .map((text) =>
      rulesText(
        {
          gates,
          until: [],
          agent: { name: "coder", description: text, cannot: ["push"] },
          hints: { tools: ["read"], model: "opus", permissions: "read" },
        },
        {
          requiredReading: many("docs/file.md").map((path) => ({ path: `@${path}`, missing: false })),
          keyReminders: many(text),
          context: Object.fromEntries(many(text).map((value) => [`name ${value}`, value])),
        },
        "call workflow_context",
      ),
    )
    .reduce((one, other) => (countTokens(one) > countTokens(other) ? one : other));
}

function typicalStatus() {
  let run: Run = { status: "absent" };
  for (const events of eventsOfRun(longRun(10))) run = events.reduce<Run>(evolve, run);
  const visit = isLive(run) ? (run.visits[0] ?? null) : null;
  if (run.status === "absent") throw new Error("the run did not begin");
  const world = { outputOf: () => undefined, projectRoot: "" };
  return { ...view(template, run, visit, world), instructions: "" };
}
