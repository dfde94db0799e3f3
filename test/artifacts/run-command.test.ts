import { describe, expect, test } from "vitest";
import { loadArtifact } from "../../src/artifacts/load-artifact.ts";
import type { Artifact } from "../../src/model/artifact.ts";
import { splitWords } from "../../src/platform/split-words.ts";
import { makeProject, problemOf, textOf, worldOf } from "./project.ts";

const issue = (command: Artifact["command"]): Artifact => ({ id: "issue", type: "text", command });
const trusted = () => worldOf(makeProject({ "a.txt": "a\n" }), { trusted: true });

describe("a command", () => {
  test("that begins with a slash is the host's, and the agent is asked for it", async () => {
    const slash = { status: "asked", command: "/fractary-work:fetch 258" };
    expect(await loadArtifact(issue("/fractary-work:fetch 258"), worldOf(makeProject()))).toMatchObject(slash);
    expect(await loadArtifact(issue(["/fractary-work:fetch", "258"]), trusted())).toMatchObject(slash);
    expect(await loadArtifact(issue(" /bin/cat a.txt"), trusted())).toMatchObject({ status: "asked" });
  });

  test("runs in the project, and what it prints is loaded", async () => {
    expect(await loadArtifact(issue(["cat", "a.txt"]), trusted())).toMatchObject({
      status: "loaded",
      text: "a\n",
      path: null,
      bytes: 2,
    });
  });

  test("does not go through a shell", async () => {
    expect(textOf(await loadArtifact(issue("echo $HOME `id` 'a  b' && echo c"), trusted()))).toBe(
      "$HOME `id` a  b && echo c\n",
    );
  });

  test("does not run unless a person has trusted it", async () => {
    expect(problemOf(await loadArtifact(issue("touch a.txt"), worldOf(makeProject())))).toEqual([
      "refused",
      "touch a.txt runs only after a person has trusted this workflow: holdfast trust",
    ]);
  });

  test("that fails says how", async () => {
    expect(problemOf(await loadArtifact(issue(["sh", "-c", "echo no such issue >&2; exit 3"]), trusted()))).toEqual([
      "refused",
      "sh -c echo no such issue >&2; exit 3 exited with 3: no such issue",
    ]);
  });

  test("that takes too long, is cancelled or cannot start is refused", async () => {
    const ended = (end: Awaited<ReturnType<ReturnType<typeof trusted>["run"]>>) =>
      loadArtifact(issue("slow"), { ...trusted(), run: () => Promise.resolve(end) });
    expect([
      problemOf(await ended({ type: "timed-out", tail: "", durationMs: 1 })),
      problemOf(await ended({ type: "cancelled", tail: "", durationMs: 1 })),
      problemOf(await ended({ type: "not-started", problem: "too many arguments" })),
    ]).toEqual([
      ["refused", "slow took longer than 30 seconds"],
      ["refused", "slow was cancelled"],
      ["refused", "slow could not be started: too many arguments"],
    ]);
  });

  test("that prints too much shows its end and says what is left out", async () => {
    const artifact: Artifact = { ...issue(["sh", "-c", "seq 1 100"]), max_bytes: 20 };
    const found = await loadArtifact(artifact, trusted());
    expect(found).toMatchObject({
      status: "loaded",
      text: "[273 bytes left out]\n95\n96\n97\n98\n99\n100\n",
      shortened: { type: "tail", leftOutBytes: 273 },
    });
  });

  test("that prints JSON is parsed like a file of it", async () => {
    const json = (text: string): Artifact => ({ id: "a", type: "json", command: ["echo", text], select: "n" });
    expect(textOf(await loadArtifact(json('{"n":1}'), trusted()))).toBe("1");
    const [status, problem] = problemOf(await loadArtifact(json("{"), trusted()));
    expect([status, problem.startsWith("the command's output is not JSON: ")]).toEqual(["refused", true]);
  });

  test("with a quotation mark that stays open is refused", async () => {
    expect(problemOf(await loadArtifact(issue("echo 'a"), trusted()))).toEqual([
      "refused",
      "the command echo 'a has an unclosed quotation mark",
    ]);
  });
});

describe("a skill or a plugin", () => {
  const skill: Artifact = { id: "review", type: "skill", name: "code review" };

  test("is loaded by its provider, which gets its name", async () => {
    const world = { ...trusted(), providers: { skill: ["echo", "skill:"] } };
    expect(textOf(await loadArtifact(skill, world))).toBe("skill: code review\n");
  });

  test("without a provider says so", async () => {
    const plugin: Artifact = { id: "work", type: "work_plugin", name: "github" };
    expect([problemOf(await loadArtifact(skill, trusted())), problemOf(await loadArtifact(plugin, trusted()))]).toEqual(
      [
        [
          "refused",
          "no provider for skill code review; add its program to providers in ~/.config/holdfast/config.yaml",
        ],
        [
          "refused",
          "no provider for work_plugin github; add its program to providers in ~/.config/holdfast/config.yaml",
        ],
      ],
    );
  });

  test("cannot say more to its provider than a name", async () => {
    const world = { ...trusted(), providers: { skill: ["echo"] } };
    expect(problemOf(await loadArtifact({ ...skill, name: "--output=/etc/passwd" }, world))).toEqual([
      "refused",
      "--output=/etc/passwd is not a valid skill name: it begins with a dash",
    ]);
  });

  test("is not loaded by a provider that nobody has trusted", async () => {
    const world = worldOf(makeProject(), { providers: { skill: ["echo"] } });
    expect((await loadArtifact(skill, world)).status).toBe("refused");
  });

  test("can be a file or a host's command, too", async () => {
    expect(textOf(await loadArtifact({ id: "a", type: "skill", path: "a.txt" }, trusted()))).toBe("a\n");
    const asked: Artifact = { id: "a", type: "work_plugin", command: "/work:fetch" };
    expect((await loadArtifact(asked, trusted())).status).toBe("asked");
  });
});

test.each([
  ["git log -n 3", ["git", "log", "-n", "3"]],
  ["  echo  'a b'\t\"c d\"e ''", ["echo", "a b", "c de", ""]],
  ["echo $HOME;ls|cat", ["echo", "$HOME;ls|cat"]],
  ['echo "it\'s"', ["echo", "it's"]],
  ["echo 'open", null],
  ["   ", null],
])("the words of %j are %j", (line, words) => {
  expect(splitWords(line)).toEqual(words);
});
