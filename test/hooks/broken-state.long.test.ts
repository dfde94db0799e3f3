import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { contractProblem } from "../../src/hosts/contract/contract.ts";
import { contracts } from "../../src/hosts/contracts.ts";
import type { Project } from "../cli/program.ts";
import { hosts, sessionStarts, someEvents } from "./events.ts";
import { contextOf, type HookCalling, hookProgram, runHook } from "./hook-program.ts";
import { agentsReminder, cardOf, copyOf, filesOf, startedProject } from "./run-project.ts";

let pattern: Project;

beforeAll(async () => {
  pattern = await startedProject();
});

interface Broken {
  readonly name: string;
  /** Whether the agent is put back on its run all the same. */
  readonly restored: boolean;
  breakState(project: Project): void;
  /** How the hook is then called. */
  calling(project: Project): HookCalling;
}

/** What the agent still gets its handoff with. */
function hurt(name: string, breakState: Broken["breakState"], calling: Broken["calling"] = () => ({})): Broken {
  return { name, restored: true, breakState, calling };
}

/** What leaves nothing to hand over. */
function lost(name: string, breakState: Broken["breakState"]): Broken {
  return { ...hurt(name, breakState), restored: false };
}

function inRun(project: Project, name: RegExp): string {
  const found = [...filesOf(project).keys()].find((path) => path.startsWith(".holdfast/runs/") && name.test(path));
  return join(project.root, found ?? "missing");
}

const unbroken = () => {};

function foldersIn(root: string): string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return [root, ...entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))];
}

function asFile(path: string): void {
  rmSync(path, { recursive: true, force: true });
  writeFileSync(path, "a file\n");
}

const states: readonly Broken[] = [
  hurt("nothing is broken", unbroken),
  lost("there is no run", (project) => rmSync(join(project.root, ".holdfast/runs"), { recursive: true })),
  hurt("the card is cut off", (project) => truncateSync(join(project.root, cardOf(project).path), 90)),
  hurt("the card is of a newer version", (project) => {
    const { path, value } = cardOf(project);
    project.write(path, JSON.stringify({ ...value, version: 99 }));
  }),
  lost("the journal is cut off in its first line", (project) => {
    truncateSync(inRun(project, /journal/), 200);
    rmSync(inRun(project, /snapshot/));
  }),
  lost("the journal is of a newer format", (project) => {
    writeFileSync(
      inRun(project, /journal/),
      project.journal().replaceAll('{"v":1', '{"v":9').replaceAll('"format":1', '"format":9'),
    );
    rmSync(inRun(project, /snapshot/));
  }),
  lost("the journal is a folder", (project) => {
    rmSync(inRun(project, /journal/));
    mkdirSync(join(project.runFolder(), "journal.jsonl"));
  }),
  hurt("the snapshot is cut off", (project) => truncateSync(inRun(project, /snapshot/), 100)),
  hurt("the snapshot is a folder", (project) => {
    rmSync(inRun(project, /snapshot/));
    mkdirSync(join(project.runFolder(), "snapshot.json"));
  }),
  lost("the frozen template is gone", (project) => rmSync(inRun(project, /template/))),
  hurt("untracked is a file", (project) => asFile(join(project.root, "untracked"))),
  hurt("the folder for cards is a link", (project) => {
    const outside = join(dirname(project.root), "outside");
    renameSync(join(project.root, "untracked/workflow-state"), outside);
    symlinkSync(outside, join(project.root, "untracked/workflow-state"));
  }),
  hurt("the folder for sessions is a file", (project) => asFile(join(project.root, ".holdfast/sessions"))),
  lost("the state folder is a file", (project) => asFile(join(project.root, ".holdfast"))),
  lost("the state folder is a link", (project) => {
    const outside = join(dirname(project.root), "outside");
    renameSync(join(project.root, ".holdfast"), outside);
    symlinkSync(outside, join(project.root, ".holdfast"));
  }),
  lost("the folder of the run is a link", (project) => {
    const outside = join(dirname(project.root), "outside");
    const folder = project.runFolder();
    renameSync(folder, outside);
    symlinkSync(outside, folder);
  }),
  hurt("a lock was left behind by someone who died", (project) => {
    project.write("untracked/workflow-state/.lock", "theirs");
  }),
  hurt("the settings are no YAML", (project) => project.write(".holdfast/config.yaml", "cards: [on\n")),
  hurt("the settings put cards outside of the project", (project) => {
    project.write(".holdfast/config.yaml", "cards: { folder: ../cards }\n");
  }),
  // A file that may not grow fails as it would on a full disk.
  hurt("the disk is full", unbroken, () => ({ shell: 'ulimit -f 0; exec "$@"' })),
  hurt(
    "nothing may be written",
    (project) => {
      const base = dirname(project.root);
      cpSync(dirname(hookProgram), join(base, "bin"), { recursive: true });
      chmodSync(base, 0o755);
      for (const folder of foldersIn(project.root)) chmodSync(folder, 0o555);
    },
    (project) => ({
      copy: join(dirname(project.root), "bin/hook.cjs"),
      ...(process.getuid?.() === 0 ? { user: 65_534 } : {}),
    }),
  ),
];

const inTurn = states.map((state, turn) => ({ ...state, turn }));

describe.each(hosts)("for %s", (host) => {
  it.each(inTurn)("every event ends well when $name", async ({ breakState, calling, restored, turn }) => {
    const events = someEvents(turn + hosts.indexOf(host));
    const project = copyOf(pattern);
    breakState(project);
    const before = filesOf(project);
    const outside = filesOf({ root: join(dirname(project.root), "outside") });
    const ends = [];
    const told = new Map<string, string>();
    for (const { event, input } of events) {
      const { code, stdout, stderr, answer } = await runHook(project, event, input, { ...calling(project), host });
      told.set(event, contextOf({ answer }));
      ends.push({ event, code, stderr, problem: contractProblem(contracts[host], event, stdout) });
    }
    expect(ends).toEqual(events.map(({ event }) => ({ event, code: 0, stderr: "", problem: null })));
    expect(told.get("SessionStart")?.includes("CONTINUE HERE   step 2/2 build")).toBe(restored);
    expect(lostIn(before, filesOf(project))).toEqual([]);
    expect(filesOf({ root: join(dirname(project.root), "outside") })).toEqual(outside);
    // So that it can be cleared away.
    for (const folder of foldersIn(project.root)) chmodSync(folder, 0o755);
  });

  it("every way to start a session ends well", async () => {
    const project = copyOf(pattern);
    for (const { event, input } of sessionStarts) {
      const { code, stdout, stderr } = await runHook(project, event, input, { host });
      expect({ code, stderr, problem: contractProblem(contracts[host], event, stdout) }).toEqual({
        code: 0,
        stderr: "",
        problem: null,
      });
    }
  });
});

/** What a program of ours may make again at any time. */
const derived =
  /\/\.lock$|^\.holdfast\/(?:sessions\/|cache\/|hooks\.log|runs\/[^/]+\/(?:snapshot\.json|handoff\.md|instructions\.md)$)/;

/** Files whose content is gone. Journals and what was shown may grow, a card may be brought up to date, one that is broken may be set aside. */
function lostIn(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const isKept = (path: string, text: string) => {
    const now = after.get(path);
    if (now === text || derived.test(path)) return true;
    if (/\/(?:journal|shown)\.jsonl$/.test(path)) return now?.startsWith(text) === true;
    const aside = [...after.keys()].filter((other) => other.startsWith(`${path}.corrupt-`));
    if (aside.some((other) => after.get(other) === text)) return true;
    return path.startsWith("untracked/") && now !== undefined && JSON.parse(now).key_reminders.includes(agentsReminder);
  };
  return [...before].filter(([path, text]) => !isKept(path, text)).map(([path]) => path);
}
