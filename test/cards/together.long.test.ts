import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { bundleProgram } from "../../scripts/bundle-cli.ts";
import { createCardFolder } from "../../src/cards/card-folder.ts";
import { swapFile } from "../../src/cards/swap-file.ts";
import { counted, times } from "../dose.ts";
import { makeFolder } from "../store/project.ts";
import { startWorker, type Worker } from "../store/worker.ts";
import { cardFile, later, ownOf, runId } from "./own.ts";
import { makeProject } from "./project.ts";

const place = makeFolder();
const program = join(place.folder, "dist/workers/save-card.js");
let workers: Worker[] = [];

beforeAll(() => bundleProgram(program, "test/cards/workers/save-card.ts"));
afterEach(() => {
  for (const worker of workers) worker.process.kill("SIGKILL");
  workers = [];
});
afterAll(() => place.remove());

async function begin(root: string, name: string, limits?: string): Promise<Worker> {
  const worker = startWorker(program, [root, name], limits);
  workers.push(worker);
  expect(await worker.line()).toBe("ready");
  return worker;
}

describe("two processes that save the same card at once", () => {
  it("lose nothing of each other's, and make one card", async () => {
    const project = makeProject();
    const both = [await begin(project.root, "ann"), await begin(project.root, "ben")];
    const rounds = counted(times({ quick: 40, long: 100, soak: 400 }));
    for (let round = 0; round < rounds; round++) {
      for (const worker of both) worker.send(String(round));
      expect(await Promise.all(both.map((worker) => worker.line()))).toEqual(["saved", "saved"]);
    }
    expect(project.files()).toEqual(["untracked/workflow-state/.gitignore", cardFile]);
    const card = createCardFolder(project.root).find(runId)?.card;
    const all = Array.from({ length: rounds }, (_, round) => [`ann ${round}`, `ben ${round}`]).flat();
    expect([...(card?.key_reminders ?? [])].sort()).toEqual(all.sort());
    expect(Object.keys(card?.context ?? {})).toEqual(expect.arrayContaining(all));
  });
});

describe("a process that is killed while it saves", () => {
  it("leaves the old card or the new one, and stands in nobody's way", async () => {
    const project = makeProject();
    const cards = createCardFolder(project.root);
    cards.save(ownOf(), later);
    for (let round = 0; round < times({ quick: 5, long: 30, soak: 200 }); round++) {
      counted(1);
      const worker = await begin(project.root, "ann");
      for (let line = 0; line < 200; line++) worker.send(`${round} ${line}`);
      await worker.line();
      worker.process.kill("SIGKILL");
      await worker.end;
      expect(cards.list(later)).toMatchObject({ cards: [{ card: { run_id: runId } }], notes: [] });
    }
    cards.save(ownOf({ key_reminders: ["after all"] }), later);
    expect(cards.find(runId)?.card.key_reminders).toContain("after all");
    cards.remove({ runId });
    expect(readdirSync(project.path("untracked/workflow-state"))).toEqual([".gitignore"]);
  });
});

describe("a full disk", () => {
  it("is said, and leaves the card as it was", async () => {
    const project = makeProject();
    const cards = createCardFolder(project.root);
    cards.save(ownOf({ context: { long: "x".repeat(20_000) } }), later);
    const before = project.read(cardFile);
    const worker = await begin(project.root, "ann", "trap '' XFSZ; ulimit -f 4");
    worker.send("once");
    expect(await worker.line()).toBe("file-unwritable");
    expect(project.read(cardFile)).toBe(before);
    expect(project.files()).toEqual(["untracked/workflow-state/.gitignore", cardFile]);
  });
});

describe("a file is swapped", () => {
  it("unless someone who takes no lock has written it in between", () => {
    const project = makeProject();
    const file = project.write("card.json", "old");
    expect(swapFile(file, "ours", () => readFileSync(file, "utf8") === "older")).toBe(false);
    expect([project.read("card.json"), project.files()]).toEqual(["old", ["card.json"]]);
    expect(swapFile(file, "ours", () => readFileSync(file, "utf8") === "old")).toBe(true);
    expect([project.read("card.json"), project.files()]).toEqual(["ours", ["card.json"]]);
  });
});
