import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { contractProblem } from "../../src/hosts/contract/contract.ts";
import { contracts } from "../../src/hosts/contracts.ts";
import type { Project } from "../cli/program.ts";
import { hosts, session, someEvents } from "./events.ts";
import { contextOf, type HookCalling, runHook } from "./hook-program.ts";
import { copyOf, startedProject } from "./run-project.ts";

let pattern: Project;

beforeAll(async () => {
  pattern = await startedProject();
});

type Fields = Readonly<Record<string, unknown>>;

/** An input as no host should send it, made from one that is right. */
interface Odd {
  readonly name: string;
  bring(input: Fields, project: Project): HookCalling & { readonly input?: Fields };
}

const odd = (name: string, bring: Odd["bring"]): Odd => ({ name, bring });

const wrong: Fields = {
  session_id: { id: 1 },
  cwd: 7,
  transcript_path: ["a"],
  source: 1,
  trigger: null,
  reason: {},
  compact_summary: 12,
  stop_hook_active: "perhaps",
  tool_input: [null, 3],
  prompt: {},
};

const inputs: readonly Odd[] = [
  odd("is empty", () => ({ stdin: "" })),
  odd("is no JSON", () => ({ stdin: '{"session_id": "half' })),
  odd("is JSON of another kind", () => ({ stdin: "[null, 1, {}]" })),
  odd("is bytes", () => ({ stdin: Uint8Array.from({ length: 4_096 }, (_, index) => index % 256) })),
  odd("is 50 MB long", (input) => ({ stdin: JSON.stringify({ ...input, prompt: "x".repeat(50 * 1024 * 1024) }) })),
  odd("is never closed", () => ({ staysOpen: true })),
  odd("has no fields", () => ({ stdin: "{}" })),
  odd("has fields of wrong types", () => ({ input: wrong })),
  odd("has fields from a newer host", () => ({
    input: { source: "teleport", trigger: "moon", reason: "bored", extra: {} },
  })),
  odd("names folders and files that are not there", () => ({
    input: { cwd: "/nowhere/at/all", transcript_path: "/nowhere/\0/transcript.jsonl" },
  })),
  odd("names a file as its folder", (_, { root }) => ({ input: { cwd: join(root, "docs/guide.md") } })),
  odd("names sessions and files in other places", () => ({
    input: { session_id: "../../../etc/passwd\n\0", tool_input: { file_path: "/etc/passwd" } },
  })),
];

describe.each(inputs.map((each, index) => ({ ...each, index, host: hosts[index % 2] ?? "claude" })))(
  "an input that $name",
  ({ bring, host, index }) => {
    it(`never hurts ${host}, whatever the event`, async () => {
      const project = copyOf(pattern);
      const before = project.journal();
      for (const { event, input } of someEvents(index)) {
        const { input: more, ...calling } = bring(input, project);
        const { code, stdout, stderr } = await runHook(project, event, { ...input, ...more }, { ...calling, host });
        const problem = contractProblem(contracts[host], event, stdout);
        expect({ event, code, stderr, problem }).toEqual({ event, code: 0, stderr: "", problem: null });
      }
      expect(project.journal().startsWith(before)).toBe(true);
    });
  },
);

describe("a hook", () => {
  it("answers from what has come when a host keeps its input open", async () => {
    const calling = { staysOpen: true };
    const ended = await runHook(copyOf(pattern), "SessionStart", { session_id: session, source: "compact" }, calling);
    expect(contextOf(ended)).toContain("CONTINUE HERE   step 2/2 build");
  });

  it("says nothing on an event that nobody knows", async () => {
    const { code, stdout } = await runHook(copyOf(pattern), "TeaTime", { hook_event_name: "TeaTime" });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  });

  it("says nothing when it is called without a word", async () => {
    const { code, stdout } = await runHook(copyOf(pattern), "", {}, { stdin: "" });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  });

  it("ends well when the host does not listen any more", async () => {
    const shell = '{ "$@"; echo "code $?" >code.txt; } | true';
    const project = copyOf(pattern);
    await runHook(project, "SessionStart", { session_id: session, source: "compact" }, { shell });
    expect(project.read("code.txt")).toBe("code 0\n");
  });

  it("ends well in a folder that was removed", async () => {
    const project = copyOf(pattern);
    const cwd = join(project.root, "gone");
    mkdirSync(cwd);
    const shell = 'rmdir "$PWD"; exec "$@"';
    const { code, stdout } = await runHook(project, "SessionStart", { session_id: session }, { cwd, shell });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  });

  it("finds the project by the host's word when its folder is gone", async () => {
    const project = copyOf(pattern);
    const cwd = join(project.root, "gone");
    mkdirSync(cwd);
    const calling = { cwd, shell: 'rmdir "$PWD"; exec "$@"', env: { CLAUDE_PROJECT_DIR: project.root } };
    const ended = await runHook(project, "SessionStart", { session_id: session, source: "compact" }, calling);
    expect(contextOf(ended)).toContain("CONTINUE HERE   step 2/2 build");
  });

  it("finds its project and its session from a folder below and from the environment", async () => {
    const project = copyOf(pattern);
    const cwd = join(project.root, "docs");
    const env = { CLAUDE_CODE_SESSION_ID: session };
    const { answer } = await runHook(project, "Stop", { stop_hook_active: false }, { cwd, env });
    expect(answer.decision).toBe("block");
  });
});
