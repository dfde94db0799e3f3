import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detectWorkflow, type TrackedWorkflow } from "../../src/cards/detect.ts";
import { anyCharacter } from "../any-character.ts";
import { cases } from "../dose.ts";
import { makeProject } from "./project.ts";

function detect(file: string, text: string) {
  const project = makeProject();
  project.write(file, text);
  return detectWorkflow(project.root);
}

function local(text: string): TrackedWorkflow {
  const { found } = detect("CLAUDE.local.md", text);
  if (found === null) throw new Error("nothing was found");
  return found;
}

function plan(text: string, folder = "066-dark-mode"): TrackedWorkflow {
  const { found } = detect(`CLAUDE/Plan/${folder}/PLAN.md`, `${text}\n\n🔄 In Progress\nphase\n`);
  if (found === null) throw new Error("nothing was found");
  return found;
}

describe("the phase", () => {
  it.each([
    ["4/10 - SEO Generation", 4, 10, "SEO Generation"],
    ["4/10 – SEO Generation", 4, 10, "SEO Generation"],
    ["4/10 — SEO Generation", 4, 10, "SEO Generation"],
    ["4/10: SEO Generation", 4, 10, "SEO Generation"],
    ["4/10 SEO - Generation", 4, 10, "SEO - Generation"],
    ["4 / 10", 4, 10, ""],
    ["4 of 10 - SEO", 4, 10, "SEO"],
    ["**4/10** - `SEO`", 4, 10, "SEO"],
    ["0/10 - not yet", 0, 10, "not yet"],
    ["a/b - x", 1, 1, "Pages"],
    ["4/x", 1, 1, "Pages"],
    ["4/10th", 1, 1, "Pages"],
    ["", 1, 1, "Pages"],
    ["99999999/1", 1, 1, "Pages"],
  ])("%j is read, and what comes after it too", (written, current, total, name) => {
    const found = local(`Workflow: Pages\n- **Phase:** ${written}\npage: 7\n@docs/a.md\n`);
    expect(found.phase).toEqual({ current, total, name, status: "in_progress" });
    expect([found.context, found.required_reading]).toEqual([{ page: 7 }, ["@docs/a.md"]]);
  });

  it("is the first that can be read", () => {
    expect(local("Phase: soon\nPhase: 2/3 - Build\nPhase: 3/3 - Ship\n").phase).toMatchObject({
      current: 2,
      name: "Build",
    });
  });

  it("past the end is kept and flagged", () => {
    expect(detect("CLAUDE.local.md", "Phase: 6/5 - More\n")).toMatchObject({
      found: { phase: { current: 6, total: 5, name: "More" } },
      reasons: ["CLAUDE.local.md: phase 6 of 5 is past the end"],
    });
  });

  it("of a plan is the one that its text names, else its title", () => {
    expect(plan("# Plan 066: Dark mode\n**Current Phase**: 2/3 - Build").phase).toMatchObject({
      current: 2,
      total: 3,
      name: "Build",
    });
    expect(plan("# Plan 066: Dark mode").phase).toEqual({
      current: 1,
      total: 1,
      name: "Dark mode",
      status: "in_progress",
    });
  });

  it("has the status that the text gives it", () => {
    expect(local("Phase: 2/3 - Build\nStatus: 🛑 Blocked\n").phase.status).toBe("blocked");
    expect(local("Phase: 2/3 - Build\nStatus: fine\n").phase.status).toBe("in_progress");
  });
});

describe("the name and type", () => {
  it.each([
    ["Workflow: Page Orchestration - Case Studies", "Page Orchestration - Case Studies"],
    ["**Workflow**: **Pages**", "Pages"],
    ["workflow: `pages`", "pages"],
    ["*Workflow:* _Pages_", "Pages"],
    ["__Workflow__: check `a` and `b`", "check `a` and `b`"],
    ["# Workflow State", "Unnamed workflow"],
    ["Workflow:\nWorkflow: second", "second"],
    ["Workflow: A\nWorkflow: B", "A"],
    ["Workflow: \u001b[31mred\u0007", "[31mred"],
    ["Workflow: 日本語: テスト", "日本語: テスト"],
  ])("%j is called %s", (text, name) => {
    expect(local(text).workflow).toBe(name);
  });

  it.each([
    ["Type: planning", "planning"],
    ["**Workflow Type**: QA-Loop", "qa-loop"],
    ["workflow_type: implementation", "implementation"],
    ["Type: whatever", "custom"],
    ["", "custom"],
  ])("%j is of type %s", (text, type) => {
    expect(local(`Workflow: x\n${text}\n`).workflow_type).toBe(type);
  });

  it.each([
    ["# Plan 066: Dark mode", "x", "Dark mode", 66],
    ["# Plan 00066 - Dark mode", "x", "Dark mode", 66],
    ["# **Plan #66** — Dark mode #", "x", "Dark mode", 66],
    ["# PLAN: Dark mode", "066-x", "Dark mode", 66],
    ["# 066: Dark mode", "x", "Dark mode", 66],
    ["# Dark mode", "00066-x", "Dark mode", 66],
    ["# Planning 3 modes", "x", "Planning 3 modes", undefined],
    ["# 3 modes", "x", "3 modes", undefined],
    ["# Plan 066", "066-dark-mode", "dark-mode", 66],
    ["no title", "066-dark-mode", "dark-mode", 66],
    ["no title", "00066", "00066", 66],
    ["no title", "2026-11-14-dark-mode", "2026-11-14-dark-mode", undefined],
    ["no title", "dark mode", "dark mode", undefined],
    ["# Plan 99999999999999999999: x", "x", "Plan 99999999999999999999: x", undefined],
  ])("the plan %j in the folder %s is %s", (title, folder, name, number) => {
    const found = plan(title, folder);
    expect([found.workflow, found.context.plan_number]).toEqual([name, number]);
  });
});

describe("the required reading", () => {
  it("is every reference in its order, once each, without the words after it", () => {
    const text = `# Workflow State
@CLAUDE/PageOrchestration.md
- @CLAUDE/Sitemap/case-studies.md - the sitemap, read it.
@CLAUDE/PageOrchestration.md again
1. @.claude/skills/page-orchestration/SKILL.md
See @docs/guide.md. And @README.md!
`;
    expect(local(text).required_reading).toEqual([
      "@CLAUDE/PageOrchestration.md",
      "@CLAUDE/Sitemap/case-studies.md",
      "@.claude/skills/page-orchestration/SKILL.md",
      "@docs/guide.md",
      "@README.md",
    ]);
  });

  it.each([
    ["@a.md, @b.md,@c.md; @d.md", ["@a.md", "@b.md", "@c.md", "@d.md"]],
    ["`@a.md` and **@b.md**", ["@a.md", "@b.md"]],
    ["[@a.md](a.md), [the b](@b.md), <@c.md>", ["@a.md", "@b.md", "@c.md"]],
    ["| @a.md | '@b.md' | \"@c.md\" |", ["@a.md", "@b.md", "@c.md"]],
    ["@docs/page.mdx and @docs/page.md", ["@docs/page.mdx", "@docs/page.md"]],
    ["@docs/a.md:12-40 @docs/b.md#L3", ["@docs/a.md", "@docs/b.md#L3"]],
    ["@src/app, @src/lib/", ["@src/app", "@src/lib/"]],
    ["Required Reading: @src/app", ["@src/app"]],
    ["@~/.ssh/id_rsa", ["@~/.ssh/id_rsa"]],
    ["@docs/日本語.md", ["@docs/日本語.md"]],
    ["ask @ada, or @bob/eve on the other team", []],
    ["mail ada@example.org or a.b@c.de", []],
    ["@Component({ a: 1 }) @app.route('/x')", []],
    ["@ a.md, @@a.md, @v1.2", []],
  ])("of %j is %j", (line, expected) => {
    expect(local(`Workflow: x\n${line}\n`).required_reading).toEqual(expected);
  });

  it("of a plan begins with the plan itself, and has it once", () => {
    expect(plan("# A\n@docs/a.md\n@CLAUDE/Plan/066-dark-mode/PLAN.md").required_reading).toEqual([
      "@CLAUDE/Plan/066-dark-mode/PLAN.md",
      "@docs/a.md",
    ]);
  });
});

describe("the key reminders", () => {
  it.each(["Key Reminders:", "## Key Reminders", "**Key Reminders**:", "- **KEY REMINDERS:**", "key_reminders:"])(
    "under %j are its list",
    (heading) => {
      const list = "\n- Run the tests\n* **No** new dependencies\n\n1. [ ] Ask Ada, run `npm test`\n- Run the tests\n";
      const found = local(`Workflow: x\n${heading}${list}Page: 7\n- not: one\n`);
      expect(found.key_reminders).toEqual(["Run the tests", "No new dependencies", "Ask Ada, run `npm test`"]);
      expect(found.context).toEqual({ page: 7, not: "one" });
    },
  );

  it("may stand on the line itself", () => {
    expect(local("Workflow: x\nKey Reminders: Run the tests\nPage: 7\n").key_reminders).toEqual(["Run the tests"]);
  });
});

describe("the context", () => {
  it("is every other line with a key and a value, numbers as numbers", () => {
    const text = `Workflow: x
Phase: 1/2
Plan number: 66
- **Page name**: case-studies
ratio: 0.5
code: 007
huge: 1e400
Infinity: Infinity
url: https://example.org
https://example.org/a
empty:
Plan number: 67
Docs: @docs/a.md
12:30 is a time
constructor: x
`;
    expect(local(text).context).toEqual({
      plan_number: 66,
      page_name: "case-studies",
      ratio: 0.5,
      code: "007",
      huge: "1e400",
      infinity: "Infinity",
      url: "https://example.org",
      constructor: "x",
    });
  });

  it("is only what stands in the workflow's own section, where it has one", () => {
    const text = "# Notes\nBuild: npm\n## Workflow State\nPage: 7\n### More\nSite: x\n## Other\nTest: vitest\n";
    expect(local(text).context).toEqual({ page: 7, site: "x" });
  });

  it("of a plan is what stands in its head", () => {
    expect(plan("# Plan 066: A\n**Owner**: Ada\n**Type**: Feature\n\n## Goal\nNote: prose").context).toEqual({
      plan_number: 66,
      owner: "Ada",
    });
  });

  it("is not endless", () => {
    const many = Array.from({ length: 500 }, (_, number) => `key ${number}: x\n@f${number}.md\n`).join("");
    const found = local(
      `Workflow: x\n${many}Key Reminders:\n${Array.from({ length: 500 }, (_, n) => `- r${n}\n`).join("")}`,
    );
    expect([Object.keys(found.context).length, found.required_reading.length, found.key_reminders.length]).toEqual([
      50, 200, 100,
    ]);
  });
});

it("whatever the text, detection does not fail, and what it finds has one line for each thing", () => {
  const project = makeProject();
  const piece = fc.oneof(
    fc.constantFrom(
      "\n",
      "Workflow:",
      "Phase:",
      "4/10",
      "@",
      "docs/a.md",
      "Key Reminders:\n- ",
      "🔄 In Progress",
      "# ",
      "**",
      "WORKFLOW STATE",
    ),
    fc.string({ unit: anyCharacter }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      project.write("CLAUDE.local.md", pieces.join(" "));
      project.write("CLAUDE/Plan/001-x/PLAN.md", pieces.join(""));
      const { found } = detectWorkflow(project.root);
      if (found === null) return;
      const texts = [found.workflow, found.phase.name, ...found.required_reading, ...found.key_reminders];
      for (const text of [...texts, ...Object.values(found.context).map(String)]) expect(text).not.toMatch(/\p{Cc}/u);
    }),
    cases({ quick: 40, long: 1_000, soak: 5_000 }),
  );
});
