import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CardFolder, createCardFolder } from "../../src/cards/card-folder.ts";
import { cardFile, later, ownOf, runId, start, trackedOf } from "./own.ts";
import { asNobody, makeProject, type Project, readOnly } from "./project.ts";

const ignore = "untracked/workflow-state/.gitignore";

function make(name?: string): { readonly project: Project; readonly cards: CardFolder } {
  const project = makeProject(name);
  return { project, cards: createCardFolder(project.root) };
}

/** A card as another tool writes it. */
function cardOf(workflow: string, more: Record<string, unknown> = {}): string {
  return JSON.stringify({ workflow, created_at: start, ...more });
}

function names(cards: CardFolder, now = later): string[] {
  return cards.list(now).cards.map(({ card }) => card.workflow);
}

describe("the first save", () => {
  it("makes the card in the seed's place, and an ignore file of its own", () => {
    const { project, cards } = make("mein Projekt 日本");
    expect(cards.save(ownOf(), start)).toEqual({ file: join(project.root, cardFile), notes: [] });
    expect(project.files()).toEqual([ignore, cardFile]);
    expect(project.read(ignore)).toBe("*\n");
    expect(project.json(cardFile)).toEqual({
      workflow: "feature",
      workflow_type: "implementation",
      phase: { current: 1, total: 5, name: "Design", status: "in_progress" },
      required_reading: ["@docs/architecture.md"],
      context: { feature_name: "dark-mode" },
      key_reminders: ["Run the tests"],
      created_at: "2026-11-14T14:30:52.123Z",
      updated_at: "2026-11-14T14:30:52.123Z",
      run_id: "feature-20261114_143052-k3f9",
      version: 1,
    });
  });

  it("leaves the user's git status clean, and an ignore file that is there as it is", () => {
    const { project, cards } = make();
    project.git("init", "--quiet");
    cards.save(ownOf(), start);
    expect(project.git("status", "--porcelain", "--untracked-files=all")).toBe("");
    project.write(ignore, "*\n!notes.md\n");
    cards.save(ownOf(), later);
    expect(project.read(ignore)).toBe("*\n!notes.md\n");
  });

  it("names the card after its start in UTC, whatever zone that was written in", () => {
    const { project, cards } = make();
    cards.save(ownOf({ created_at: "2026-11-15T01:30:52+02:00" }), later);
    expect(project.files()[1]).toBe("untracked/workflow-state/feature/state-feature-20261114_233052.json");
  });

  it("gives two starts in one second different names", () => {
    const { project, cards } = make();
    cards.save(ownOf(), start);
    cards.save(ownOf({ run_id: "feature-20261114_143052-zzzz" }), start);
    cards.save(ownOf({ run_id: null }), start);
    expect(project.files()).toEqual([
      ignore,
      "untracked/workflow-state/feature/state-feature-20261114_143052-2.json",
      "untracked/workflow-state/feature/state-feature-20261114_143052-3.json",
      cardFile,
    ]);
  });

  it("cannot be led out of the folder by a name", () => {
    const { project, cards } = make();
    for (const workflow of ["../../outside", "..", "/etc/passwd", "a/../../b", "日本"])
      cards.save(trackedOf({ workflow }), start);
    for (const file of project.files())
      expect(file).toMatch(/^untracked\/workflow-state\/(?:[a-z0-9-]+\/state-[\w-]+\.json|\.gitignore)$/);
    expect(readdirSync(project.outside)).toEqual([]);
  });

  it("goes to the folder that is configured", () => {
    const { project } = make();
    const cards = createCardFolder(project.root, { folder: "tmp/state cards" });
    cards.save(ownOf(), start);
    expect(project.files()).toEqual([
      "tmp/state cards/.gitignore",
      "tmp/state cards/feature/state-feature-20261114_143052.json",
    ]);
    expect(names(cards)).toEqual(["feature"]);
  });

  it("leaves git's view of a folder as it is that has other things in it", () => {
    const { project } = make();
    mkdirSync(project.path("src"));
    writeFileSync(project.path("src/main.ts"), "");
    createCardFolder(project.root, { folder: "src" }).save(ownOf(), start);
    expect(project.files()).toEqual(["src/feature/state-feature-20261114_143052.json", "src/main.ts"]);
  });

  it.each(["/tmp/cards", "../cards", "a/../../cards", "..", ".", ""])(
    "is refused for the configured folder %j",
    (folder) => {
      expect(() => createCardFolder(makeProject().root, { folder })).toThrow(
        "the card folder must be inside the project",
      );
    },
  );
});

describe("a later save", () => {
  it("updates the same file, and keeps its start", () => {
    const { project, cards } = make();
    cards.save(ownOf(), start);
    const phase = { current: 3, total: 5, name: "Testing", status: "in_progress" as const };
    cards.save(ownOf({ phase }), later);
    expect(project.files()).toEqual([ignore, cardFile]);
    expect(project.json(cardFile)).toMatchObject({ phase, created_at: start, updated_at: later });
  });

  it("keeps what an agent wrote into the card meanwhile", () => {
    const { project, cards } = make();
    cards.save(ownOf(), start);
    const written = project.json(cardFile) as Record<string, unknown>;
    project.write(cardFile, JSON.stringify({ ...written, key_reminders: ["Ask Ada"], decisions: ["no ORM"] }));
    cards.save(ownOf(), later);
    expect(project.json(cardFile)).toMatchObject({
      key_reminders: ["Ask Ada", "Run the tests"],
      decisions: ["no ORM"],
    });
  });

  it("takes back what was only ours before", () => {
    const { project, cards } = make();
    const before = ownOf({ context: { round: 1 } });
    cards.save(before, start);
    cards.save(ownOf({ context: { round: 2 } }), later, before);
    expect(project.json(cardFile)).toMatchObject({ context: { round: 2 } });
  });

  it("finds a tracked workflow by its name, wherever an agent has put the card", () => {
    const { project, cards } = make();
    const file = "untracked/workflow-state/pages/state-pages-20251209_143052.json";
    project.write(file, cardOf("Page Orchestration", { context: { page: 4 } }));
    expect(cards.save(trackedOf({ created_at: later }), later)).toEqual({ file: join(project.root, file), notes: [] });
    expect(project.files()).toEqual([ignore, file]);
    expect(project.json(file)).toMatchObject({ created_at: start, updated_at: later, context: { page: 4 } });
  });

  it("never takes a run's card for a tracked workflow of the same name, nor the other way round", () => {
    const { cards } = make();
    cards.save(ownOf(), start);
    cards.save(ownOf({ run_id: null, key_reminders: ["tracked"] }), later);
    expect(cards.find(runId)?.card.key_reminders).toEqual(["Run the tests"]);
    expect(names(cards)).toEqual(["feature", "feature"]);
  });

  it("writes a lost card anew", () => {
    const { project, cards } = make();
    cards.save(ownOf(), start);
    cards.remove({ runId });
    cards.save(ownOf(), later);
    expect(project.json(cardFile)).toMatchObject({ created_at: start, updated_at: later });
  });

  it("leaves no draft and no lock behind", () => {
    const { project, cards } = make();
    for (let round = 0; round < 5; round++) cards.save(ownOf(), later);
    expect(project.files()).toEqual([ignore, cardFile]);
  });

  it("goes on after a process that died while it held the lock", () => {
    const { project, cards } = make();
    project.write("untracked/workflow-state/.lock", "whoever died");
    cards.save(ownOf(), start);
    expect(project.files()).toEqual([ignore, cardFile]);
  });
});

describe("a card that cannot be read", () => {
  it.each([
    ["half of it", '{"workflow": "fea', "it is not JSON"],
    ["nothing", "", "it is not JSON"],
    ["a list", "[]", "it holds a list, not a card"],
    ["no text", new Uint8Array([0xff, 0xfe, 0x00]), "it is not UTF-8 text"],
    ["too much", "x".repeat(262_145), "it is too large"],
  ])("because it holds %s is set aside and said once, and a new one is written", (_, content, problem) => {
    const { project, cards } = make();
    project.write(cardFile, content);
    const aside = "state-feature-20261114_143052.json.corrupt-20261114_160211";
    expect(cards.save(ownOf(), later).notes).toEqual([
      `${cardFile} could not be read (${problem}); it was renamed to ${aside} and a new card was written`,
    ]);
    expect(statSync(project.path(`untracked/workflow-state/feature/${aside}`)).size).toBe(content.length);
    expect(project.json(cardFile)).toMatchObject({ workflow: "feature", updated_at: later });
    expect(cards.save(ownOf(), later).notes).toEqual([]);
    expect(cards.list(later).notes).toEqual([]);
  });

  it("does not take the place of one that was set aside in the same second", () => {
    const { project, cards } = make();
    for (const text of ["one", "two"]) {
      project.write(cardFile, text);
      cards.save(ownOf(), later);
    }
    expect(project.read(`${cardFile}.corrupt-20261114_160211`)).toBe("one");
    expect(project.read(`${cardFile}.corrupt-20261114_160211-2`)).toBe("two");
  });

  it("is left alone when it belongs to another run, or to nobody known", () => {
    const { project, cards } = make();
    const other = "untracked/workflow-state/feature/state-feature-20200101_000000.json";
    project.write(other, "{");
    expect(cards.save(ownOf(), later).notes).toEqual([]);
    expect(project.read(other)).toBe("{");
  });

  it("of a tracked workflow is set aside wherever its name leads", () => {
    const { project, cards } = make();
    project.write("untracked/workflow-state/page-orchestration/state-page-orchestration-20200101_000000.json", "{");
    expect(cards.save(trackedOf(), later).notes).toHaveLength(1);
    expect(names(cards)).toEqual(["Page Orchestration"]);
  });

  it("because a newer Holdfast wrote it is neither set aside nor overwritten", () => {
    const { project, cards } = make();
    project.write(cardFile, cardOf("feature", { version: 2, run_id: runId }));
    const before = project.read(cardFile);
    expect(() => cards.save(ownOf(), later)).toThrow("has format 2, which this version of Holdfast cannot read");
    expect(project.files()).toEqual([ignore, cardFile]);
    expect(project.read(cardFile)).toBe(before);
  });

  it("would be made by a merge that grows too long, so that one is refused and the card stays", () => {
    const { project, cards } = make();
    cards.save(ownOf(), start);
    const before = project.read(cardFile);
    expect(() => cards.save(ownOf({ context: { text: "x".repeat(262_144) } }), later)).toThrow(
      "the card would be too large",
    );
    expect(project.read(cardFile)).toBe(before);
  });
});

describe("the list", () => {
  it("is empty where nothing is, and makes nothing", () => {
    const { project, cards } = make();
    expect(cards.list(later)).toEqual({ cards: [], notes: [] });
    expect(cards.find(runId)).toBe(null);
    cards.remove({ runId });
    expect(project.files()).toEqual([]);
  });

  it("has the newest first, by the time of the file or the one inside it, whichever is later and not in the future", () => {
    const { project, cards } = make();
    const write = (name: string, times: Record<string, string>, touched: string) => {
      const file = `untracked/workflow-state/${name}/state-${name}-20250101_000000.json`;
      project.write(file, JSON.stringify({ workflow: name, ...times }));
      project.touch(file, touched);
    };
    write("old", { created_at: "2025-01-01T00:00:00Z" }, "2026-11-01");
    write("updated", { created_at: "2025-01-01T00:00:00Z", updated_at: "2026-11-02T00:00:00Z" }, "2025-01-01");
    write("created", { created_at: "2026-11-01T00:00:00.000000Z" }, "2025-01-01");
    write("zoned", { created_at: "2025-01-01T00:00:00Z", updated_at: "2026-11-02T01:00:00+02:00" }, "2025-01-01");
    write("b-same", { created_at: "2026-05-01T00:00:00" }, "2025-01-01");
    write("a-same", { created_at: "2026-05-01 00:00:00Z" }, "2025-01-02");
    write("future", { created_at: "2025-01-01T00:00:00Z", updated_at: "2999-01-01T00:00:00Z" }, "2025-01-01");
    write("timeless", {}, "2026-11-02");
    write("far", { created_at: "2999-01-01T00:00:00Z" }, "2999-01-01");
    expect(names(cards)).toEqual([
      ...["timeless", "updated", "zoned", "created", "old", "a-same", "b-same", "future", "far"],
    ]);
  });

  it("passes over a newest card that is corrupt, with a note, and has the next good one", () => {
    const { project, cards } = make();
    cards.save(ownOf(), start);
    project.write("untracked/workflow-state/x/state-x-20270101_000000.json", "{");
    expect(cards.list(later)).toMatchObject({
      cards: [{ file: join(project.root, cardFile) }],
      notes: ["untracked/workflow-state/x/state-x-20270101_000000.json is skipped: it is not JSON"],
    });
  });

  it("passes over what is no card's file without a word, and what stands where one should with a note", () => {
    const { project, cards } = make();
    project.write("untracked/workflow-state/notes.md", "mine");
    project.write("untracked/workflow-state/x/notes.json", "{}");
    project.write("untracked/workflow-state/x/state-x.json.corrupt-20270101_000000", "{");
    expect(cards.list(later)).toEqual({ cards: [], notes: [] });
    mkdirSync(project.path("untracked/workflow-state/x/state-x-20270101_000000.json"));
    expect(cards.list(later).notes).toEqual([
      "untracked/workflow-state/x/state-x-20270101_000000.json is ignored: it is not a regular file",
    ]);
  });

  it("says which folder it may not read, and goes on", () => {
    const { project, cards } = make();
    cards.save(ownOf(), start);
    mkdirSync(project.path("untracked/workflow-state/locked"));
    chmodSync(project.path("untracked/workflow-state/locked"), 0);
    asNobody(() =>
      expect(cards.list(later)).toMatchObject({
        cards: [{ card: { workflow: "feature" } }],
        notes: ["untracked/workflow-state/locked is skipped: access is denied"],
      }),
    );
  });

  it("changes nothing, also not the time of a file", () => {
    const { project, cards } = make();
    cards.save(ownOf(), start);
    project.touch(cardFile, "2026-01-01T00:00:00Z");
    const [before, text] = [project.files(), project.read(cardFile)];
    cards.list(later);
    cards.find(runId);
    expect(statSync(project.path(cardFile)).mtime.toISOString()).toBe("2026-01-01T00:00:00.000Z");
    expect([project.files(), project.read(cardFile)]).toEqual([before, text]);
  });

  it("has two hundred cards, and of far too many the ones that were started last", () => {
    const { project, cards } = make();
    for (let number = 0; number < 1_200; number++) {
      const stamp = `2026${String(number).padStart(4, "0")}_000000`;
      writeFileSync(project.path(`untracked/workflow-state/w/state-w-${stamp}.json`), cardOf(`w ${number}`));
      if (number === 199) expect(cards.list(later)).toMatchObject({ cards: { length: 200 }, notes: [] });
    }
    expect(cards.list(later)).toMatchObject({
      cards: { length: 1_000 },
      notes: ["200 cards are skipped: there are too many"],
    });
    expect(names(cards)).toContain("w 1199");
  });
});

describe("a removal", () => {
  it("takes the card and its folder, and leaves the folder of all cards", () => {
    const { project, cards } = make();
    cards.save(ownOf(), start);
    cards.remove({ runId });
    expect(project.files()).toEqual([ignore]);
    expect(readdirSync(project.path("untracked/workflow-state"))).toEqual([".gitignore"]);
  });

  it("leaves a folder in which there is something else", () => {
    const { project, cards } = make();
    cards.save(ownOf(), start);
    project.write("untracked/workflow-state/feature/notes.md", "mine");
    cards.remove({ runId });
    expect(project.files()).toEqual([ignore, "untracked/workflow-state/feature/notes.md"]);
  });

  it("of a tracked workflow goes by its name, and takes no run's card", () => {
    const { cards } = make();
    cards.save(ownOf(), start);
    cards.save(ownOf({ run_id: null }), start);
    cards.remove({ workflow: "feature" });
    cards.remove({ workflow: "feature" });
    expect(cards.list(later).cards.map(({ card }) => card.run_id)).toEqual([runId]);
  });
});

describe("nothing is read or written behind a link", () => {
  it.each(["untracked", "untracked/workflow-state", "untracked/workflow-state/feature"])("where %s is one", (path) => {
    const { project, cards } = make();
    const inside = join(project.outside, cardFile.slice(path.length));
    mkdirSync(join(inside, ".."), { recursive: true });
    writeFileSync(inside, cardOf("feature", { run_id: runId }));
    project.link(project.outside, path);
    expect(() => cards.save(ownOf(), later)).toThrow("it is a symbolic link; cards are not stored behind one");
    expect(cards.list(later)).toEqual({
      cards: [],
      notes: [`${path} is ignored: it is a symbolic link; cards are not stored behind one`],
    });
    cards.remove({ runId });
    expect(
      readdirSync(project.outside, { recursive: true }).filter((file) => String(file).endsWith(".json")),
    ).toHaveLength(1);
  });

  it("where the card is one: it is neither believed nor replaced", () => {
    const { project, cards } = make();
    const target = join(project.outside, "card.json");
    writeFileSync(target, cardOf("feature", { run_id: runId }));
    project.link(target, cardFile);
    expect(cards.list(later)).toEqual({ cards: [], notes: [`${cardFile} is ignored: it is a symbolic link`] });
    expect(cards.save(ownOf(), later).file).toBe(join(project.root, cardFile.replace(".json", "-2.json")));
    expect(cards.find(runId)?.card.updated_at).toBe(later);
  });
});

describe("where no card can be kept, a save says why and changes nothing:", () => {
  it("untracked is a file", () => {
    const { project, cards } = make();
    project.write("untracked", "mine");
    expect(() => cards.save(ownOf(), later)).toThrow("a part of its path is a file, not a folder; nothing was changed");
    const note = "untracked is ignored: it is a file, not a folder, so no state card can be kept";
    expect([cards.list(later), cards.obstacle()]).toEqual([{ cards: [], notes: [note] }, note]);
    expect(project.files()).toEqual(["untracked"]);
  });

  it("the folder of the cards is a file", () => {
    const { project, cards } = make();
    project.write("untracked/workflow-state", "mine");
    expect(() => cards.save(ownOf(), later)).toThrow("it is a file, not a folder; nothing was changed");
    expect(project.read("untracked/workflow-state")).toBe("mine");
  });

  it("the workflow's folder is a file", () => {
    const { project, cards } = make();
    project.write("untracked/workflow-state/feature", "mine");
    expect(() => cards.save(ownOf(), later)).toThrow("nothing was changed");
    expect(project.files()).toEqual([ignore, "untracked/workflow-state/feature"]);
  });

  it("the project is read-only", () => {
    const { project, cards } = make();
    readOnly(project.root, () => {
      expect(() => cards.save(ownOf(), later)).toThrow("access is denied; nothing was changed");
    });
    expect(project.files()).toEqual([]);
  });

  it("the folder of the cards is read-only", () => {
    const { project, cards } = make();
    cards.save(ownOf(), start);
    const before = project.read(cardFile);
    readOnly(project.path("untracked/workflow-state"), () => {
      expect(() => cards.save(ownOf(), later)).toThrow(expect.objectContaining({ code: "file-unwritable" }));
      expect(names(cards)).toEqual(["feature"]);
    });
    expect(project.read(cardFile)).toBe(before);
  });
});
