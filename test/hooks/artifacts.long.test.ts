import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { by, faberProject, statuses } from "../cli/faber.ts";
import { compact, mine, prime, protocol, restore, started } from "./artifact-handoffs.ts";
import { session } from "./events.ts";
import { contextOf, runHook } from "./hook-program.ts";
import { eventsOf } from "./run-project.ts";

describe("after a loss of context", () => {
  it("by /clear, which gives a new session, too", async () => {
    const project = await started();
    await restore(project, "startup");
    await runHook(project, "SessionEnd", { session_id: session, reason: "clear" });
    expect(await restore(project, "clear", "after-the-clear")).toContain("One step at a time.");
    const again = (await project.json(["prime"], by("after-the-clear"))).value;
    expect(statuses(again)).toMatchObject({ protocol: "skipped" });
  });

  it("whose handoff did not arrive the artifacts come with the next one", async () => {
    const project = await started();
    await compact(project);
    const transcript_path = project.write("../transcript.jsonl", "");
    await restore(project, "compact");
    project.write("../transcript.jsonl", '{"timestamp":"2999-01-01T00:00:00.000Z"}\n');
    const prompted = await runHook(project, "UserPromptSubmit", { session_id: session, prompt: "Go", transcript_path });
    expect(contextOf(prompted)).toContain("One step at a time.");
  });

  it.each(["compact", "resume", "fork"])("of the kind %s every artifact is in the handoff again", async (source) => {
    const project = await started();
    if (source === "compact") await compact(project);
    const handoff = await restore(project, source);
    expect(handoff).toContain("### protocol: how we work (required)\ndocs/protocol.md, 32 bytes, sha256:");
    expect(handoff).toContain("\n\nCRITICAL ARTIFACTS\n\n### workflow-state: where we are (required)\n");
    expect(handoff).toContain("One step at a time.");
    expect(handoff).toContain('"goal": "a plan of two parts"');
    expect(handoff.trimEnd().endsWith("</holdfast>")).toBe(true);
    expect(handoff.length).toBeLessThanOrEqual(9_000);
  });

  it("that was not announced nothing is skipped either", async () => {
    const project = faberProject({
      always: [
        "id: protocol, type: markdown, path: docs/protocol.md, reload_triggers: [session_start]",
        "id: plan, type: json, path: plans/7.json, reload_triggers: [manual]",
      ],
    });
    await project.json(["start", "faber"], mine);
    await prime(project);
    await restore(project, "compact");
    expect(statuses((await prime(project)).value)).toEqual({ protocol: "skipped", plan: "loaded" });
  });

  it("records what set it off", async () => {
    const project = await started();
    await compact(project);
    await restore(project, "compact");
    await restore(project, "resume");
    const loads = eventsOf(project).filter(({ type }) => type === "artifacts-loaded");
    expect(loads.map(({ artifacts }) => artifacts[0].trigger)).toEqual([
      "session_start",
      "compaction",
      "session_start",
    ]);
    expect(loads.map((load) => load.session)).toEqual([session, session, session]);
  });
});

describe("an artifact that is too large for a handoff", () => {
  it("is not brought again by every status", async () => {
    const project = faberProject({ always: ["id: protocol, type: markdown, path: docs/protocol.md, required: true"] });
    project.write("docs/protocol.md", protocol);
    await project.json(["start", "faber"], mine);
    await restore(project, "compact");
    expect((await project.json(["next"], mine)).value.artifacts).toBeUndefined();
  });

  it("stays within what Codex accepts, in any script", async () => {
    const project = faberProject({ always: ["id: protocol, type: markdown, path: docs/protocol.md, required: true"] });
    project.write("docs/protocol.md", `# 规程\n${"不要剪断绳子。\n".repeat(5_000)}`);
    await project.json(["start", "faber"], mine);
    const told = { session_id: session, source: "compact" };
    const handoff = contextOf(await runHook(project, "SessionStart", told, { host: "codex" }));
    expect(handoff).toContain("# 规程\n不要剪断绳子。");
    expect(Buffer.byteLength(handoff) / 4).toBeLessThanOrEqual(2_500);
  });

  it("leaves the instructions whole where there is room for both", async () => {
    const project = faberProject({ always: ["id: protocol, type: markdown, path: docs/protocol.md, required: true"] });
    const long = Array.from({ length: 150 }, (_, n) => `Line ${n}: tie the next knot.`).join(" ");
    const yaml = project.read(".holdfast/workflows/faber.yaml").replace("Do frame", JSON.stringify(long));
    project.write(".holdfast/workflows/faber.yaml", yaml);
    await project.json(["start", "faber"], mine);
    const handoff = await restore(project, "compact");
    expect(handoff).toContain(long);
    expect(handoff).toContain("One step at a time.");
  });
});

describe("a hook", () => {
  it("reads outside the project what the person allows, and nothing else", async () => {
    const always = ["id: notes, type: text, path: ../notes/today.txt", "id: secret, type: text, path: ../secret.txt"];
    const project = faberProject({ always });
    project.write("../notes/today.txt", "Rain.\n");
    project.write("../secret.txt", "the secret\n");
    const allowed = join(dirname(project.root), "notes");
    project.write("../home/.config/holdfast/config.yaml", `allow_outside: [${allowed}]\n`);
    await project.json(["start", "faber"], mine);
    const told = { session_id: session, source: "compact" };
    const handoff = contextOf(await runHook(project, "SessionStart", told, { env: { HOME: project.home } }));
    expect(handoff).toContain("Rain.");
    expect(handoff).toContain("### secret\nNot loaded: it is outside the project");
    expect(handoff).not.toContain("the secret");
  });

  it("stays within the host's limit with 50 artifacts of 1 MB and a long card, and still names every one", async () => {
    const megabyte = "All work and no play. \n".repeat(45_591);
    const always = Array.from({ length: 50 }, (_, index) => {
      return `id: big${index}, type: text, path: "big/${index}.txt"${index === 49 ? ", required: true" : ""}`;
    });
    const project = faberProject({ always });
    for (const index of always.keys()) project.write(`big/${index}.txt`, megabyte);
    const names = Array.from({ length: 200 }, (_, index) => `v${index}`);
    const workflow = ".holdfast/workflows/faber.yaml";
    const declared = `variables: { ${names.map((name) => `${name}: ""`).join(", ")}, `;
    project.write(workflow, project.read(workflow).replace("variables: { ", declared));
    const values = names.map((name) => `--var=${name}=${"x".repeat(90)}`);
    expect((await project.json(["start", "faber", ...values], mine)).code).toBe(0);
    const handoff = await restore(project, "compact");
    expect(handoff.length).toBeLessThanOrEqual(9_000);
    expect(handoff).toContain("### big49 (required)\nbig/49.txt, 1048593 bytes, sha256:");
    expect(handoff).toContain("### big0\nbig/0.txt, 1048593 bytes, sha256:");
    expect(handoff.trimEnd().endsWith("</holdfast>")).toBe(true);
  });

  it("gives a workflow without artifacts the handoff that it always had", async () => {
    const project = faberProject({});
    await project.json(["start", "faber"], mine);
    const handoff = await restore(project, "compact");
    expect(handoff).not.toContain("###");
    expect(eventsOf(project).map(({ type }) => type)).not.toContain("artifacts-loaded");
  });
});
