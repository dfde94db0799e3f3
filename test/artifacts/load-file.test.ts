import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadArtifact } from "../../src/artifacts/load-artifact.ts";
import type { Artifact } from "../../src/model/artifact.ts";
import { makeProject, problemOf, textOf, worldOf } from "./project.ts";

const spec: Artifact = { id: "spec", type: "markdown", path: "docs/spec.md" };
const at = (path: string): Artifact => ({ ...spec, path });

test("a file is loaded with its path, size and hash", async () => {
  const root = makeProject({ "docs/spec.md": "# Spec\n" });
  const artifact: Artifact = { ...spec, description: "the spec", required: true };
  expect(await loadArtifact(artifact, worldOf(root))).toEqual({
    id: "spec",
    description: "the spec",
    type: "markdown",
    required: true,
    status: "loaded",
    text: "# Spec\n",
    path: "docs/spec.md",
    bytes: 7,
    hash: "sha256:603c828a03383f98b82bf9c6787deeb5c40c02871a1b8d6ba14b0d538020a02b",
    notes: [],
    shortened: null,
  });
});

test("a file that is in context already is loaded again only when it has changed", async () => {
  const root = makeProject({ "docs/spec.md": "# Spec\n" });
  const first = await loadArtifact(spec, worldOf(root));
  const hash = first.status === "loaded" ? first.hash : "";
  expect(await loadArtifact(spec, worldOf(root), hash)).toMatchObject({ status: "skipped", reason: "unchanged" });
  writeFileSync(join(root, "docs/spec.md"), "# Spek\n");
  expect(textOf(await loadArtifact(spec, worldOf(root), hash))).toBe("# Spek\n");
});

describe("a path", () => {
  test("that is not there is missing", async () => {
    expect(await loadArtifact({ ...spec, required: true }, worldOf(makeProject()))).toEqual({
      id: "spec",
      description: "spec",
      type: "markdown",
      required: true,
      status: "missing",
      path: "docs/spec.md",
      problem: "there is no docs/spec.md",
    });
  });

  test("may name the project, the run and its variables", async () => {
    const root = makeProject({ "runs/r1/plan-7.md": "plan" });
    const world = worldOf(root, { values: { run_id: "r1", plan_id: "7" } });
    const artifact = at("{project_root}/runs/{run_id}/plan-{plan_id}.md");
    expect(await loadArtifact(artifact, world)).toMatchObject({ text: "plan", path: "runs/r1/plan-7.md" });
  });

  test("whose name has no value yet is not available yet", async () => {
    expect(problemOf(await loadArtifact(at("plans/{plan_id}.md"), worldOf(makeProject())))).toEqual([
      "unavailable",
      "plans/{plan_id}.md needs {plan_id}, which is not set in this run yet",
    ]);
  });

  test("does not read the names in its values", async () => {
    const root = makeProject({ "{run_id}.md": "braces" });
    const world = worldOf(root, { values: { plan_id: "{run_id}", run_id: "r1" } });
    expect(textOf(await loadArtifact(at("{plan_id}.md"), world))).toBe("braces");
    expect(textOf(await loadArtifact(at("{{run_id}.md"), world))).toBe("braces");
  });

  const out = "it is outside the project; to allow it, add it to allow_outside in ~/.config/holdfast/config.yaml";

  test.each(["../secret.md", "docs/../../secret.md", "/etc/hostname", "{project_root}/../secret.md", "{plan_id}"])(
    "%s leads out of the project and is refused",
    async (path) => {
      const world = worldOf(makeProject({ "docs/a.md": "" }), { values: { plan_id: "../../etc/hostname" } });
      expect(problemOf(await loadArtifact(at(path), world))).toEqual(["refused", out]);
    },
  );

  test("that stays inside may be written in any way", async () => {
    const root = makeProject({ "docs/spec.md": "spec" });
    for (const path of ["docs/../docs/spec.md", "./docs//spec.md", join(root, "docs/spec.md")]) {
      expect(await loadArtifact(at(path), worldOf(root))).toMatchObject({ text: "spec", path: "docs/spec.md" });
    }
  });

  test("through a link out of the project is refused, whether there is something or not", async () => {
    const elsewhere = makeProject({ "secret.md": "secret" });
    const root = makeProject();
    symlinkSync(join(elsewhere, "secret.md"), join(root, "file.md"));
    symlinkSync(elsewhere, join(root, "folder"));
    for (const path of ["file.md", "folder/secret.md", "folder/nothing.md"]) {
      expect(problemOf(await loadArtifact(at(path), worldOf(root)))).toEqual(["refused", out]);
    }
  });

  test("through a link inside the project is followed", async () => {
    const root = makeProject({ "docs/spec.md": "spec" });
    symlinkSync("docs/spec.md", join(root, "current.md"));
    expect(await loadArtifact(at("current.md"), worldOf(root))).toMatchObject({ text: "spec", path: "current.md" });
  });

  test("of links in a circle is refused", async () => {
    const root = makeProject();
    symlinkSync("b.md", join(root, "a.md"));
    symlinkSync("a.md", join(root, "b.md"));
    expect(problemOf(await loadArtifact(at("a.md"), worldOf(root)))).toEqual([
      "refused",
      "its symbolic links form a loop",
    ]);
  });

  test("outside is read where that is allowed, and only there", async () => {
    const elsewhere = makeProject({ "shared/guide.md": "guide", "secret.md": "secret" });
    const root = makeProject();
    const world = worldOf(root, { allowOutside: [join(elsewhere, "shared")] });
    const guide = join(elsewhere, "shared/guide.md");
    expect(await loadArtifact(at(guide), world)).toMatchObject({ text: "guide", path: guide });
    const absent = await loadArtifact(at(join(elsewhere, "shared/nothing.md")), world);
    expect(absent.status).toBe("missing");
    const secret = await loadArtifact(at(join(elsewhere, "shared/../secret.md")), world);
    expect(problemOf(secret)).toEqual(["refused", out]);
  });

  test("with a zero byte is refused", async () => {
    expect(problemOf(await loadArtifact(at("a\0.md"), worldOf(makeProject())))).toEqual([
      "refused",
      "the path has control characters",
    ]);
  });
});

describe("what is not a regular file is refused", () => {
  test("a folder", async () => {
    const root = makeProject({ "docs/spec.md/inner": "" });
    expect(problemOf(await loadArtifact(spec, worldOf(root)))).toEqual([
      "refused",
      "docs/spec.md is a folder, not a file",
    ]);
  });

  test("a pipe, without waiting for it", async () => {
    const root = makeProject();
    execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', join(root, "pipe")]);
    expect(problemOf(await loadArtifact(at("pipe"), worldOf(root)))).toEqual(["refused", "pipe is a pipe, not a file"]);
  });

  test("a device, even where devices are allowed", async () => {
    const world = worldOf(makeProject(), { allowOutside: ["/dev"] });
    expect(problemOf(await loadArtifact(at("/dev/zero"), world))).toEqual([
      "refused",
      "/dev/zero is a device, not a file",
    ]);
  });

  test("a file of more than 64 MiB", async () => {
    const root = makeProject({ large: "" });
    truncateSync(join(root, "large"), 64 * 1024 * 1024 + 1);
    expect(problemOf(await loadArtifact(at("large"), worldOf(root)))).toEqual([
      "refused",
      "large is larger than 64 MiB",
    ]);
  });
});

describe("a text is read whatever program has saved it", () => {
  test.each([
    ["CRLF", Buffer.from("a\r\nb\r\n"), "a\nb\n", ["its CRLF line endings are shown as LF"]],
    ["a byte order mark", Buffer.from("\uFEFFa"), "a", ["its byte order mark was removed"]],
    ["UTF-16, little end first", Buffer.from("\uFEFFä\n", "utf16le"), "ä\n", ["it was read as UTF-16"]],
    ["UTF-16, big end first", Buffer.from("\uFEFFä\n", "utf16le").swap16(), "ä\n", ["it was read as UTF-16"]],
    [
      "Latin-1",
      Buffer.from("caf\xe9", "latin1"),
      "caf\uFFFD",
      ["it is not valid UTF-8; invalid bytes are shown as \uFFFD"],
    ],
    ["nothing in it", Buffer.from(""), "", []],
  ])("with %s", async (_, bytes, text, notes) => {
    const root = makeProject({ "docs/spec.md": bytes });
    expect(await loadArtifact(spec, worldOf(root))).toMatchObject({ text, notes, bytes: bytes.length });
  });

  test("but not what is no text", async () => {
    const root = makeProject({ "docs/spec.md": Buffer.from([0x89, 0x50, 0, 1]) });
    expect(problemOf(await loadArtifact(spec, worldOf(root)))).toEqual([
      "refused",
      "docs/spec.md is not text: it contains NUL bytes; use load: pointer for it",
    ]);
    expect(await loadArtifact({ ...spec, load: "pointer" }, worldOf(root))).toMatchObject({
      status: "pointer",
      path: "docs/spec.md",
      bytes: 4,
    });
  });
});

describe("a path from the state", () => {
  const fromState = (path_from_state: string): Artifact => ({ id: "spec", type: "text", path_from_state });
  const state = {
    artifacts: { spec_path: "{project_root}/specs/258.md", empty: "", nothing: null, count: 3, folder: {} },
    files: ["specs/258.md"],
  };

  test.each(["artifacts.spec_path", "$.artifacts.spec_path", "$['artifacts'][\"spec_path\"]", "files[0]", "files.0"])(
    "%s leads to the file, also with the project as a placeholder",
    async (path) => {
      const root = makeProject({ "specs/258.md": "spec" });
      expect(await loadArtifact(fromState(path), worldOf(root, { state }))).toMatchObject({
        text: "spec",
        path: "specs/258.md",
      });
    },
  );

  test.each(["artifacts.nothing", "artifacts.empty", "artifacts.absent", "files[1]", "artifacts.toString", "a.b.c"])(
    "%s is not available yet",
    async (path) => {
      expect(problemOf(await loadArtifact(fromState(path), worldOf(makeProject(), { state })))).toEqual([
        "unavailable",
        `${path} is not set in the run's state yet`,
      ]);
    },
  );

  test("that is set, to a file that is not there, is missing", async () => {
    expect(problemOf(await loadArtifact(fromState("files[0]"), worldOf(makeProject(), { state })))).toEqual([
      "missing",
      "there is no specs/258.md",
    ]);
  });

  test.each([
    ["artifacts.count", "artifacts.count is a number in the run's state, not a path"],
    ["artifacts.folder", "artifacts.folder is an object or a list in the run's state, not a path"],
    ["artifacts..x", "path_from_state artifacts..x: expected .name, [0] or ['name']"],
    ["artifacts.__proto__", "path_from_state artifacts.__proto__: __proto__ is a reserved name"],
  ])("%s is refused", async (path, problem) => {
    expect(problemOf(await loadArtifact(fromState(path), worldOf(makeProject(), { state })))).toEqual([
      "refused",
      problem,
    ]);
  });

  test("that leads out of the project is refused", async () => {
    const leaving = { artifacts: { spec_path: "../../etc/passwd" } };
    const found = await loadArtifact(fromState("artifacts.spec_path"), worldOf(makeProject(), { state: leaving }));
    expect(found.status).toBe("refused");
  });
});

describe("JSON", () => {
  const json: Artifact = { id: "data", type: "json", path: "data.json" };

  test("is laid out for reading, or a part of it", async () => {
    const root = makeProject({ "data.json": '{"files":[{"name":"a"}],"n":1}' });
    expect(textOf(await loadArtifact(json, worldOf(root)))).toBe(
      '{\n  "files": [\n    {\n      "name": "a"\n    }\n  ],\n  "n": 1\n}',
    );
    expect(textOf(await loadArtifact({ ...json, select: "$.files[0].name" }, worldOf(root)))).toBe('"a"');
  });

  test("without the part that is selected is missing", async () => {
    const root = makeProject({ "data.json": "{}" });
    expect(problemOf(await loadArtifact({ ...json, select: "files.a" }, worldOf(root)))).toEqual([
      "missing",
      "data.json has no value at files.a",
    ]);
  });

  test("that is none is refused, and so is one that is too deep to be written", async () => {
    const root = makeProject({ "data.json": "{", "deep.json": "[".repeat(200_000) + "]".repeat(200_000) });
    const [status, problem] = problemOf(await loadArtifact(json, worldOf(root)));
    expect([status, problem.startsWith("data.json is not JSON: ")]).toEqual(["refused", true]);
    expect(problemOf(await loadArtifact({ ...json, path: "deep.json" }, worldOf(root)))[0]).toBe("refused");
  });

  test("of the run's state is made when it is loaded", async () => {
    const state = { run_id: "r1", artifacts: {} };
    const artifact: Artifact = { ...json, path: "{run_state}" };
    expect(await loadArtifact(artifact, worldOf(makeProject(), { state }))).toMatchObject({
      status: "loaded",
      text: '{\n  "run_id": "r1",\n  "artifacts": {}\n}',
      path: null,
      bytes: 39,
    });
  });
});

describe("how much is shown", () => {
  const lines = Array.from({ length: 100 }, (_, n) => `line ${n}`).join("\n");

  test("all of it, up to a limit; above it a pointer", async () => {
    const root = makeProject({ "docs/spec.md": lines });
    expect(textOf(await loadArtifact({ ...spec, max_bytes: 789 }, worldOf(root)))).toBe(lines);
    expect(await loadArtifact({ ...spec, max_bytes: 788 }, worldOf(root))).toMatchObject({
      status: "pointer",
      path: "docs/spec.md",
      bytes: 789,
      reason: "it is larger than 788 bytes",
    });
  });

  test("both ends of it, on whole characters", async () => {
    const root = makeProject({ "docs/spec.md": "ä".repeat(50) });
    expect(await loadArtifact({ ...spec, load: "head_tail", max_bytes: 10 }, worldOf(root))).toMatchObject({
      text: "ää\n[92 bytes left out]\nää",
      shortened: { type: "head_tail", leftOutBytes: 92 },
    });
    expect(await loadArtifact({ ...spec, load: "head_tail" }, worldOf(root))).toMatchObject({
      text: "ä".repeat(50),
      shortened: null,
    });
  });

  test("the headings of a document", async () => {
    const root = makeProject({ "docs/spec.md": "# Spec\ntext\n```\n# no heading\n```\n## Part\n" });
    expect(await loadArtifact({ ...spec, load: "summary" }, worldOf(root))).toMatchObject({
      text: "7 lines, 41 bytes\n# Spec\n## Part",
      shortened: { type: "summary", leftOutBytes: 41 },
    });
  });

  test("the members of JSON", async () => {
    const root = makeProject({ "data.json": '{"a":[1,2],"b":{"c":{"d":1},"e":"x"},"f":null}' });
    const artifact: Artifact = { id: "data", type: "json", path: "data.json", load: "summary" };
    expect(textOf(await loadArtifact(artifact, worldOf(root)))).toBe(
      '13 lines, 100 bytes\n"a": a list of 2\n"b": 2 members\n  "c": 1 member\n  "e": "x"\n"f": null',
    );
  });

  test("the beginning of any other text", async () => {
    const root = makeProject({ "docs/spec.md": lines });
    expect(textOf(await loadArtifact({ ...spec, type: "text", load: "summary" }, worldOf(root)))).toBe(
      `100 lines, 789 bytes; it begins:\n${lines.split("\n").slice(0, 10).join("\n")}`,
    );
  });

  test("a large text comes with a warning", async () => {
    const root = makeProject({ "docs/spec.md": "x".repeat(33_000) });
    expect(await loadArtifact(spec, worldOf(root))).toMatchObject({
      status: "loaded",
      notes: ["it is large; consider load: head_tail, summary or pointer"],
    });
  });
});

test("a folder that nobody may enter is refused", { skip: process.getuid?.() === 0 }, async () => {
  const root = makeProject();
  mkdirSync(join(root, "docs"), { mode: 0 });
  expect(problemOf(await loadArtifact(spec, worldOf(root)))).toEqual(["refused", "access is denied"]);
});
