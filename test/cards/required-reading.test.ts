import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkReading } from "../../src/cards/required-reading.ts";
import { makeProject } from "./project.ts";

/** A project with a few files, and a secret outside of it. */
function make() {
  const project = makeProject("mein Projekt 日本");
  project.write("docs/plan.md", "the plan");
  project.write("docs/my notes.md", "notes");
  writeFileSync(join(project.outside, "secret.md"), "secret");
  mkdirSync(join(project.outside, "folder"));
  return project;
}

describe("what is to be read", () => {
  it("gets its @, and says what is missing", () => {
    const { root } = make();
    expect(checkReading(root, ["docs/plan.md", "@docs/gone.md", "@docs/my notes.md", "@docs/"])).toEqual({
      entries: [
        { path: "@docs/plan.md", missing: false },
        { path: "@docs/gone.md", missing: true },
        { path: "@docs/my notes.md", missing: false },
        { path: "@docs", missing: false },
      ],
      notes: [],
    });
  });

  it("is named once, however it is written", () => {
    const { root } = make();
    const written = [
      "docs/plan.md",
      "@docs/plan.md",
      "@./docs//plan.md",
      " @docs/x/../plan.md ",
      join(root, "docs/plan.md"),
    ];
    expect(checkReading(root, written)).toEqual({ entries: [{ path: "@docs/plan.md", missing: false }], notes: [] });
  });

  it("may be a place in a file", () => {
    const { entries } = checkReading(make().root, ["@docs/plan.md#L3-9", "@docs/gone.md#L3"]);
    expect(entries).toEqual([
      { path: "@docs/plan.md#L3-9", missing: false },
      { path: "@docs/gone.md#L3", missing: true },
    ]);
  });

  it.each([
    "@~/.ssh/id_rsa",
    "~root/x",
    "@/etc/passwd",
    "@../outside/secret.md",
    "@docs/../../outside/secret.md",
    "..",
  ])("is never %s, which is outside", (entry) => {
    expect(checkReading(make().root, [entry, "docs/plan.md"])).toEqual({
      entries: [{ path: "@docs/plan.md", missing: false }],
      notes: [`${JSON.stringify(entry)} is left out: it is outside the project`],
    });
  });

  it("is nothing that a link leads out to, also when nothing is there", () => {
    const { root, outside } = make();
    symlinkSync(join(outside, "secret.md"), join(root, "secret.md"));
    symlinkSync(join(outside, "folder"), join(root, "folder"));
    symlinkSync(join(root, "docs/plan.md"), join(root, "inside.md"));
    expect(checkReading(root, ["secret.md", "folder", "folder/gone.md", "folder/../x.md", "inside.md"])).toEqual({
      entries: [
        { path: "@x.md", missing: true },
        { path: "@inside.md", missing: false },
      ],
      notes: [
        '"secret.md" is left out: it is outside the project',
        '"folder" is left out: it is outside the project',
        '"folder/gone.md" is left out: it is outside the project',
      ],
    });
  });

  it("is found where the project itself is reached through a link", () => {
    const { root, outside } = make();
    const link = join(outside, "link");
    symlinkSync(root, link);
    const { entries } = checkReading(link, ["docs/plan.md", join(link, "docs/my notes.md")]);
    expect(entries.map(({ path, missing }) => [path, missing])).toEqual([
      ["@docs/plan.md", false],
      ["@docs/my notes.md", false],
    ]);
  });

  it("has no control characters, and nothing that turns the text around", () => {
    const { entries } = checkReading(make().root, [
      "docs/\u001b[31mplan.md\u0000",
      "docs/\u202eplan.md",
      "\n@docs/plan.md\r",
    ]);
    expect(entries).toEqual([
      { path: "@docs/[31mplan.md", missing: true },
      { path: "@docs/plan.md", missing: false },
    ]);
  });

  it("is nothing where nothing is said, and missing where no disk could have it", () => {
    const { root } = make();
    expect(checkReading(root, ["", "@", " @ ", "\u0007"])).toEqual({ entries: [], notes: [] });
    const long = "x".repeat(5_000);
    symlinkSync("loop", join(root, "loop"));
    expect(checkReading(root, [long, "docs/plan.md/below", "loop"]).entries).toEqual([
      { path: `@${long}`, missing: true },
      { path: "@docs/plan.md/below", missing: true },
      { path: "@loop", missing: true },
    ]);
  });

  it("is not endless", () => {
    const many = Array.from({ length: 10_000 }, (_, number) => `${number}.md`);
    const { entries, notes } = checkReading(make().root, many);
    expect([entries.length, notes]).toEqual([200, ["only the first 200 files to read are listed"]]);
  });
});
