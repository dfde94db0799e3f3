import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createProject, type Project } from "../cli/program.ts";
import { everyEvent, session } from "./events.ts";
import { type HookEnded, hookProgram, runHook } from "./hook-program.ts";
import { copyOf, filesOf, startedProject } from "./run-project.ts";

const places: Readonly<Record<string, string>> = { win32: "AppData/Local", darwin: "Library/Caches" };
const codeIn = (home: string) => join(home, places[process.platform] ?? ".cache", "holdfast/code");
const told = everyEvent.filter(({ event }) => ["PreCompact", "SessionStart", "SessionEnd"].includes(event));

let pattern: Project;
let plain: Ran;
beforeAll(async () => {
  pattern = await startedProject();
  plain = await runAll("");
});

interface Ran {
  readonly ends: readonly Pick<HookEnded, "code" | "stdout" | "stderr">[];
  /** What the project has in it afterwards. */
  readonly names: readonly string[];
}

/** A conversation in a project of its own, with this home; the time in what is said is no part of it. */
async function runAll(home: string): Promise<Ran> {
  const project = copyOf(pattern);
  const ends = [];
  for (const { event, input } of told) {
    const { code, stdout, stderr } = await runHook(project, event, input, { env: { HOME: home, USERPROFILE: home } });
    ends.push({ code, stdout: stdout.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "now"), stderr });
  }
  // Logs are named by what told of the session, which is another process each time.
  return { ends, names: [...filesOf(project).keys()].filter((name) => !name.includes("/parent-")).sort() };
}

/** A prompt in a project that has nothing to do with us: one event, for which one part is enough. */
function promptIn(project: Project, copy = hookProgram): Promise<HookEnded> {
  const env = { HOME: project.home, USERPROFILE: project.home };
  return runHook(project, "UserPromptSubmit", { session_id: session }, { copy, env });
}

/** A home with the code of an earlier conversation in it. */
async function warmHome(): Promise<string> {
  const { home } = createProject();
  await runAll(home);
  return home;
}

function codeFiles(home: string): string[] {
  return readdirSync(codeIn(home)).sort();
}

describe("code that an earlier run has compiled", () => {
  it("is kept for each event and each part it needed, outside of the project, and answers the same", async () => {
    const { home } = createProject();
    expect(await runAll(home)).toEqual(plain);
    const events = codeFiles(home).map((name) => name.replace(/-[0-9a-f]{32}$/, ""));
    expect(new Set(events)).toEqual(new Set(["PreCompact", "SessionEnd", "SessionStart"]));
    expect([...filesOf({ root: home }).keys()].every((name) => join(home, name).startsWith(codeIn(home)))).toBe(true);

    const kept = filesOf({ root: codeIn(home) });
    expect(await runAll(home)).toEqual(plain);
    expect(filesOf({ root: codeIn(home) })).toEqual(kept);
  });

  it("is what the next run runs", async () => {
    const project = createProject();
    await promptIn(project);
    const [name = "", ...others] = codeFiles(project.home);
    expect(others).toEqual([]);
    const code = otherCode(readFileSync(join(dirname(hookProgram), "hook-main.cjs"), "utf8").length);
    const digest = createHash("sha256").update(name).update(code).digest();
    writeFileSync(join(codeIn(project.home), name), Buffer.concat([digest, code]));
    expect((await promptIn(project)).stdout).toBe("kept code");
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ["empty", () => Buffer.alloc(0)],
    ["cut short", (bytes) => bytes.subarray(0, bytes.length / 2)],
    ["damaged", (bytes) => bytes.fill(7, bytes.length / 2, bytes.length / 2 + 64)],
    ["no code", (bytes) => Buffer.alloc(bytes.length, "x")],
  ])("is made anew when it is %s", async (_, damage) => {
    const home = await warmHome();
    const before = filesOf({ root: codeIn(home) });
    for (const name of before.keys()) {
      writeFileSync(join(codeIn(home), name), damage(Buffer.from(before.get(name) ?? "", "latin1")));
    }
    const damaged = filesOf({ root: codeIn(home) });
    expect(await runAll(home)).toEqual(plain);
    const after = filesOf({ root: codeIn(home) });
    expect([...after.keys()]).toEqual([...before.keys()]);
    expect([...after].filter(([name, text]) => damaged.get(name) === text)).toEqual([]);
  });

  it("is not taken from another event or another part", async () => {
    const home = await warmHome();
    const files = codeFiles(home).map((name) => join(codeIn(home), name));
    const bytes = files.map((file) => readFileSync(file));
    files.forEach((file, index) => {
      writeFileSync(file, bytes[(index + 1) % bytes.length] ?? "");
    });
    expect(await runAll(home)).toEqual(plain);
  });

  it("is not taken from another build", async () => {
    const project = createProject();
    const copy = join(project.root, "../build/hook.cjs");
    cpSync(dirname(hookProgram), dirname(copy), { recursive: true });
    expect((await promptIn(project, copy)).code).toBe(0);
    const [first] = codeFiles(project.home);
    appendFileSync(join(dirname(copy), "hook-main.cjs"), " ");
    expect((await promptIn(project, copy)).code).toBe(0);
    expect(codeFiles(project.home)).toHaveLength(2);
    expect(codeFiles(project.home)).toContain(first);
  });

  it.each<[string, (project: Project) => string]>([
    ["there is no home", () => ""],
    ["the home is named from the project", () => "home"],
    ["the home is a file", (project) => project.write("../file", "")],
    ["there is a file in the way", (project) => dirname(project.write("../other-home/.cache", ""))],
  ])("is not missed when %s", async (_, homeOf) => {
    expect(await runAll(homeOf(createProject()))).toEqual(plain);
  });

  it("does not pile up", async () => {
    const project = createProject();
    const folder = codeIn(project.home);
    mkdirSync(folder, { recursive: true });
    for (let number = 0; number < 80; number++) {
      writeFileSync(join(folder, `SessionEnd-${number}`), "");
      utimesSync(join(folder, `SessionEnd-${number}`), number, number);
    }
    await promptIn(project);
    expect(codeFiles(project.home)).toHaveLength(32);
    expect(codeFiles(project.home).filter((name) => /-[0-9a-f]{32}$/.test(name))).toHaveLength(1);
  });
});

/** Code of another program with a source of this length, which is all that V8 looks at. */
function otherCode(length: number): Buffer {
  const program = `
    const { Script } = require("node:vm");
    const head = "(function (exports, require, module, __filename, __dirname) {";
    const body = 'exports.runHook = Boolean; require("node:fs").writeSync(1, "kept code");';
    const script = new Script(head + body.padEnd(${length}) + "\\n})");
    process.stdout.write(script.createCachedData());`;
  return execFileSync(process.execPath, ["-e", program]);
}
