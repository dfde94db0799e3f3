import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import type { RunRow } from "../../src/app/queries/list-runs.ts";
import type { StatusReply } from "../../src/app/runs/reply.ts";
import { printEvents } from "../../src/cli/print/print-events.ts";
import { printGraph, printRuns } from "../../src/cli/print/print-lists.ts";
import { printReply, printWhere } from "../../src/cli/print/print-status.ts";
import { printPush } from "../../src/cli/print/print-transfer.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import { widthOf } from "../../src/cli/terminal/layout.ts";
import { createPaint } from "../../src/cli/terminal/paint.ts";
import { wrapText } from "../../src/cli/terminal/wrap-text.ts";
import type { RunEvent } from "../../src/model/event.ts";
import { recordedIo } from "./recorded-io.ts";

const piped = createPaint({ colours: false, columns: null });
const at = (columns: number) => createPaint({ colours: false, columns });

const words = (count: number) => Array.from({ length: count }, () => "word").join(" ");

function widest(text: string): number {
  return Math.max(...text.split("\n").map(widthOf));
}

describe("a text from a workflow", () => {
  it("is broken between words, and its own line breaks stay", () => {
    expect(wrapText("one two three\n\nfour", 9)).toBe("one two\nthree\n\nfour");
    expect(wrapText("one two three", Number.POSITIVE_INFINITY)).toBe("one two three");
  });

  it("indents what belongs to a list item or a quotation", () => {
    expect(wrapText("- one two three\n  four five six", 10)).toBe("- one two\n  three\n  four\n  five six");
    expect(wrapText("10. one two three", 12)).toBe("10. one two\n    three");
    expect(wrapText("- [ ] one two three", 14)).toBe("- [ ] one two\n      three");
    expect(wrapText("> one two three", 10)).toBe("> one two\n> three");
  });

  it("keeps code, tables and words that are too long as they are", () => {
    const code = `\`\`\`sh\n${words(30)}\n\`\`\``;
    for (const text of [code, `    ${words(30)}`, `| ${words(30)} |`, "x".repeat(200)])
      expect(wrapText(text, 80)).toBe(text);
    expect(
      wrapText(`${code}\n${words(30)}`, 80)
        .split("\n")
        .slice(3),
    ).toHaveLength(2);
  });
});

const status: StatusReply = {
  runId: "feature-20260131_120000-ab12",
  workflow: "feature",
  status: "running",
  step: "understand_what_is_wanted",
  stepType: "action",
  phase: { current: 1, total: 5, name: "build", status: "in_progress" },
  agent: null,
  delegate: false,
  instructions: `${words(40)}\n- ${words(40)}`,
  progress: { currentStep: 3, totalSteps: 5, completedTasks: 1, totalTasks: 3 },
  summary: "Add dark mode",
  artefacts: [],
  token: "understand_what_is_wanted#1",
};

describe.each([60, 80, 120])("at %i columns", (columns) => {
  it("instructions are wrapped, and nothing is when they are piped", () => {
    const shown = printReply({ ...status, todo: words(40), driftedTemplate: true }, at(columns));
    expect(widest(shown)).toBeLessThanOrEqual(columns);
    expect(shown).toContain("\n  word word");
    expect(printReply(status, piped)).toContain(`\n\n${status.instructions}\n`);
    expect(widest(printWhere({ ...status, warning: words(40) }, at(columns)))).toBeLessThanOrEqual(columns);
  });

  it("artifacts that come with the instructions stay as they are", () => {
    const artifacts = `<artifact>\n${words(60)}\n</artifact>`;
    expect(printReply({ ...status, artifacts }, at(columns))).toContain(`\n${artifacts}\n`);
  });

  it("no line of the list of runs is wider, and no id is cut", () => {
    const row: RunRow = {
      ...status,
      summary: words(40),
      worktree: null,
      startedAt: "2026-01-31T12:00:00.000Z",
      updatedAt: "2026-01-31T12:00:00.000Z",
    };
    for (const step of ["plan", "understand_what_is_wanted_and_what_is_not"]) {
      const shown = printRuns(
        {
          runs: [
            { ...row, step },
            { ...row, step, summary: null },
          ],
          damaged: [],
        },
        at(columns),
      );
      expect(widest(shown)).toBeLessThanOrEqual(columns);
      expect(shown.match(/feature-20260131_120000-ab12/g)).toHaveLength(2);
      expect(shown).toContain("word word");
    }
  });

  it("a graph and the answer to a push fit", () => {
    const none = { when: null, context: null, gates: [], approval: false, hints: ["model opus"] };
    const gates = ["npm run a-long-command -- --with-many-words and more of them, so that it has to wrap somewhere"];
    const review = {
      id: "review",
      type: "action",
      phase: "Review",
      command: null,
      tasks: null,
      parallel: null,
      passes: null,
      until: [],
      ...none,
      gates,
    };
    const steps = [{ ...review, subSteps: [{ id: "read", ...none, approval: true }] }];
    const moves = ["approved", "needs_changes", "wrong_approach", "blocked"].map((outcome) => {
      return { from: "review", to: `${outcome}_follows`, outcome, when: null, context: null };
    });
    expect(widest(printGraph({ name: "g", steps, moves }, at(columns)))).toBeLessThanOrEqual(columns);
    const pushed = {
      runId: status.runId,
      remote: "origin",
      result: "first",
      version: 1,
      kept: "remote-1.jsonl",
    } as const;
    expect(widest(printPush(pushed, at(columns)))).toBeLessThanOrEqual(columns);
  });

  it("no line of the help is wider", async () => {
    const { io, said } = recordedIo({ styles: { out: { colours: true, columns }, err: { colours: true, columns } } });
    for (const topic of [[], ["track"], ["advance"]]) await runCli([...topic, "--help"], io);
    expect(said.out.split("\n").filter((line) => widthOf(line) > columns && !line.startsWith("  holdfast "))).toEqual(
      [],
    );
  });
});

describe("the log", () => {
  const events: RunEvent[] = [
    { seq: 1, at: "2026-01-31T12:00:00.000Z", type: "summary-set", summary: words(40) },
    {
      seq: 2,
      at: "2026-01-31T12:00:00.000Z",
      type: "context-action-handed-out",
      token: "plan#1" as never,
      action: "compact",
    },
    { seq: 123_456, at: "2026-01-31T12:00:00.000Z", type: "run-completed" },
  ];

  it("keeps its columns and its bold type, however long a type is", () => {
    const coloured = printEvents(events, createPaint({ colours: true, columns: 80 }))
      .trimEnd()
      .split("\n");
    expect(coloured.map((line) => line.split("\u001b[1m")[1]?.split("\u001b[22m")[0])).toEqual([
      "summary-set              ",
      "context-action-handed-out",
      "run-completed            ",
    ]);
    const [first = "", second = ""] = coloured.map((line) => stripVTControlCharacters(line));
    expect(first.indexOf("summary=")).toBe(second.indexOf("token="));
    expect(coloured.every((line) => widthOf(line) <= 80)).toBe(true);
  });

  it("is never cut when it is piped", () => {
    expect(printEvents(events.slice(0, 1), piped)).toContain("summary=word word word");
    expect(printEvents(events.slice(0, 1), piped)).not.toContain("\u001b");
  });
});
