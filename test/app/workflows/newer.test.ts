import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import { hashLine } from "../../../src/app/transfer/hashed-line.ts";
import { isSecondEdition } from "../../../src/app/workflows/edition.ts";
import { parseFrozen } from "../../../src/app/workflows/parse-frozen.ts";
import type { Template } from "../../../src/model/template.ts";
import { neededVersion } from "../../../src/store/journal-line.ts";
import { hashTemplate } from "../../../src/templates/hash.ts";
import { keysIn } from "../../docs/language-keys.ts";
import { readPage } from "../../docs/markdown.ts";
import { packageVersion } from "../../package-version.ts";
import { makeWorld, type World } from "../world.ts";

const plain =
  "steps:\n  - { id: plan, type: action, instructions: Plan }\n  - { id: end, type: action, instructions: End }";

async function begin(yaml = plain): Promise<{ world: World; runId: string; file: string }> {
  const world = makeWorld({ git: false });
  world.workflow("flow", yaml);
  const reply = await world.agent("s1").ok("start", { workflow: "flow" });
  const { runId } = reply;
  const name = readdirSync(world.runFolder(runId)).find((each) => each.startsWith("template-")) ?? "";
  return { world, runId, file: join(world.runFolder(runId), name) };
}

/** Rewrites the template beside the journal, as another version would have written it. */
function rewrite(file: string, change: (stored: Record<string, unknown>) => Record<string, unknown>): void {
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, "utf8")))));
}

/** Appends a commit of a later format. */
function append(world: World, runId: string): void {
  const journal = world.journal(runId);
  const last = JSON.parse(journal.trimEnd().split("\n").at(-1) ?? "");
  const rest = JSON.stringify({ prev: last.hash, writer: "x", needs: "4.5.6", events: [{ type: "sung" }] }).slice(
    1,
    -1,
  );
  const size = Buffer.byteLength(rest) + 76;
  const hashed = `{"format":3,"version":${last.version + 1},"size":${size},${rest}`;
  const hash = createHash("sha256").update(hashed).digest("hex");
  writeFileSync(join(world.runFolder(runId), "journal.jsonl"), `${journal}${hashed},"hash":"${hash}"}\n`);
}

const files = (world: World, runId: string) =>
  Object.fromEntries(
    readdirSync(world.runFolder(runId))
      .filter((name) => name !== "snapshot.json")
      .map((name) => [name, readFileSync(join(world.runFolder(runId), name), "utf8")]),
  );

const needs = { code: "format-newer", next: "update Holdfast to version 4.5.6 or later" };

describe("a run that a newer version wrote", () => {
  test.each([
    ["in its journal", (world: World, runId: string, _file: string) => append(world, runId)],
    [
      "in its template",
      (_world: World, _runId: string, file: string) =>
        rewrite(file, (stored) => ({ ...stored, format: 3, needs: "4.5.6", more: true })),
    ],
  ])("%s says which version it needs, whatever is asked of it, and stays as it is", async (_where, change) => {
    const { world, runId, file } = await begin();
    change(world, runId, file);
    const before = files(world, runId);
    const agent = world.agent("s2");
    const person = world.person();
    const asked = [
      () => agent.ask("advance", { run: runId, output: "x" }),
      () => agent.ask("next", { run: runId }),
      () => agent.ask("tasks", { run: runId, loop: "x", tasks: [] }),
      () => person.ask("status", { run: runId }),
      () => person.ask("goto", { run: runId, step: "end", reason: "x" }),
      () => person.ask("export", { run: runId, file: world.path("out.jsonl") }),
    ];
    for (const ask of asked) await expect(ask()).rejects.toMatchObject(needs);
    expect(files(world, runId)).toEqual(before);
  });

  it("is neither damaged nor received when it is imported", async () => {
    const { world, runId } = await begin();
    const exported = world.path("run.jsonl");
    await world.person().ok("export", { run: runId, file: exported });
    const [head = "", template = "", ...rest] = readFileSync(exported, "utf8").trimEnd().split("\n");
    const { hash: _hash, ...line } = JSON.parse(template);
    const text = JSON.stringify({ ...JSON.parse(line.text), format: 3, needs: "4.5.6" });
    const body = [head, hashLine({ ...line, text }), ...rest.slice(0, -1)].map((each) => `${each}\n`).join("");
    const end = hashLine({ type: "end", all: createHash("sha256").update(body).digest("hex") });
    const other = makeWorld({ git: false }).person();
    await expect(other.ask("import", { text: `${body}${end}\n`, source: "run.jsonl" })).rejects.toMatchObject(needs);
    expect(await other.ok("runs")).toEqual({ runs: [], damaged: [] });
  });

  it("with a key that this version does not know is not called damaged", () => {
    const template = {
      name: "a",
      description: "b",
      steps: [{ id: "c", type: "action", instructions: "d", sing: true }],
    };
    const stored = JSON.stringify({ format: 2, needs: "4.5.6", from: "a.yaml", source: "s", template });
    const hash = hashTemplate(template as unknown as Template);
    expect(() => parseFrozen("a/template.json", stored, hash)).toThrow(expect.objectContaining(needs));
    expect(parseFrozen("a/template.json", stored, "sha256:0")).toBe("it is not a template of this version");
  });
});

describe("a template beside a journal", () => {
  it("has the first format while it uses nothing new, and names the version that it needs otherwise", async () => {
    const stored = async (yaml: string) => JSON.parse(readFileSync((await begin(yaml)).file, "utf8"));
    expect(await stored(plain)).toMatchObject({ format: 1 });
    expect(await stored(plain)).not.toHaveProperty("needs");
    const later = plain.replace("instructions: End", "instructions: End, when: run.summary != null");
    expect(await stored(later)).toMatchObject({ format: 2, needs: neededVersion });
  });

  it("is read again in both formats, also one that an earlier build wrote in the first", async () => {
    const { world, file } = await begin(
      plain.replace("instructions: End", "instructions: End, when: run.summary == null"),
    );
    rewrite(file, ({ needs: _needs, ...stored }) => ({ ...stored, format: 1 }));
    expect(await world.agent("s1").ok("advance", { output: "x" })).toMatchObject({ step: "end" });
  });

  it("needs a version that there is", () => {
    const numbers = (version: string) => version.split(".").map(Number);
    const [needed, own] = [numbers(neededVersion), numbers(packageVersion)];
    const at = needed.findIndex((number, index) => number !== own[index]);
    expect(at === -1 || (own[at] ?? 0) > (needed[at] ?? 0)).toBe(true);
  });
});

/** The keys of the first edition; a program that knows only these must not read a template with others. */
const firstEdition = new Set([
  ...["name", "description", "type", "agents", "agents.*", "agents.*.description", "agents.*.tools", "agents.*.cannot"],
  ...["variables", "variables.*", "required_reading", "key_reminders", "critical_artifacts", "hold", "transitions"],
  ...["loops", "loops.*", "steps", "use_when"],
  ...["from", "to", "reason", "context", "carry"].map((key) => `transitions[].${key}`),
  ...["id", "type", "agent", "context", "on_fail", "max_retries", "budget", "phase", "artefacts", "instructions"].map(
    (key) => `step.${key}`,
  ),
  ...["gate", "outcomes", "n", "until", "gate[].run", "gate[].timeout", "gate[].exists", "gate[].approval"].map(
    (key) => `step.${key}`,
  ),
  ...["until[].run", "until[].timeout", "until[].exists"].map((key) => `step.${key}`),
  ...["turns", "minutes", "tokens", "pivot_to"].map((key) => `step.budget.${key}`),
]);

test.each(
  readPage("docs/workflows.md")
    .blocks.filter(({ language }) => language === "yaml")
    .map(({ text }) => parse(text))
    .filter((value) => "steps" in value)
    .map((value) => [String(value.name), value] as const),
)("the example %s is of the edition that its keys are of", (_name, template) => {
  const newer = [...keysIn(template)].filter(
    (key) =>
      !firstEdition.has(key) && !key.startsWith("artifact.") && !/^critical_artifacts|^step\.outcomes\./.test(key),
  );
  expect({ newer, is: isSecondEdition(template) }).toEqual({ newer, is: newer.length > 0 });
});
