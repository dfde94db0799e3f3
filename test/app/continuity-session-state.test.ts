import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, type StoredLine, stateOf } from "../../src/app/continuity/session-state.ts";

/** Something that happens once; each of the hooks that were installed tells of it. */
type Happening = "startup" | "resume" | "compaction" | "compaction without a word before" | "call" | "prompt" | "stop";

const happenings: readonly Happening[] = [
  "startup",
  "resume",
  "compaction",
  "compaction without a word before",
  "call",
  "prompt",
  "stop",
];

/** What must be true of a session, counted without any log. */
interface Truth {
  losses: number;
  settled: number;
  handed: number;
}

/** Which of the two hooks tells first, and how long after that the other does. */
const telling = fc.record({ first: fc.constantFrom("project", "plugin"), gapMs: fc.integer({ min: 0, max: 3_000 }) });
const moment = fc.record({
  what: fc.constantFrom(...happenings),
  tellings: fc.array(telling, { minLength: 3, maxLength: 3 }),
  pauseMs: fc.integer({ min: 0, max: 20_000 }),
});

interface Session {
  readonly lines: StoredLine[];
  readonly truth: Truth;
  now: number;
}

type Told = Line extends infer L ? (L extends Line ? Omit<L, "at" | "via"> : never) : never;

function add(session: Session, via: string, told: Told): boolean {
  const nonce = String(session.lines.length);
  const at = new Date(session.now).toISOString();
  const { host, parent, losses, settled } = stateOf("s", session.lines);
  session.lines.push({ ...told, at, via, session: "s", nonce, before: { host, parent, losses, settled } } as StoredLine);
  return !stateOf("s", session.lines).repeated.includes(nonce);
}

/** Both hooks tell the same; exactly one of them is the first. */
function both(session: Session, { first, gapMs }: { first: string; gapMs: number }, told: Told): void {
  const firsts = [first, first === "project" ? "plugin" : "project"].filter((via, index) => {
    session.now += index * gapMs;
    return add(session, via, told);
  });
  expect(firsts).toEqual([first]);
  session.now += 1;
}

function happen(session: Session, { what, tellings, pauseMs }: { what: Happening; tellings: readonly { first: string; gapMs: number }[]; pauseMs: number }): void {
  const { truth } = session;
  const [one, two, three] = tellings;
  if (one === undefined || two === undefined || three === undefined) return;
  session.now += pauseMs;
  const start = (source: string) => both(session, two, { type: "started", source, host: "claude", parent: "7.1" });
  const hand = () => {
    truth.handed = truth.losses;
    add(session, one.first, { type: "handed", loss: truth.losses, fallback: false });
  };
  switch (what) {
    case "startup":
      truth.losses += 1;
      return start("startup");
    case "resume":
      truth.losses += 1;
      start("resume");
      return hand();
    case "compaction":
      truth.losses += 1;
      both(session, one, { type: "compacting", restorable: true });
      start("compact");
      hand();
      return both(session, three, { type: "compacted" });
    case "compaction without a word before":
      truth.losses += 1;
      start("compact");
      return hand();
    case "call":
    case "prompt": {
      const { pending } = stateOf("s", session.lines);
      if (pending === null) return;
      truth.settled = pending.loss;
      add(session, what === "call" ? "call" : one.first, { type: "settled", loss: pending.loss });
      return;
    }
    case "stop":
      return both(session, one, { type: "stopped" });
  }
}

describe("what a session's log tells", () => {
  const moments = fc.array(moment, { maxLength: 25 });

  it("counts everything once that two hooks tell of, in whatever order and however far apart", () => {
    fc.assert(
      fc.property(moments, (all) => {
        const session: Session = { lines: [], truth: { losses: 0, settled: 0, handed: 0 }, now: 1_000_000 };
        for (const each of all) {
          happen(session, each);
          const { losses, settled, pending } = stateOf("s", session.lines);
          const { truth } = session;
          const open = truth.handed === truth.losses && truth.handed > truth.settled ? truth.losses : null;
          expect({ losses, settled, pending: pending?.loss ?? null }).toEqual({ ...counted(truth), pending: open });
        }
      }),
      { numRuns: 150 },
    );
  });

  it("is the same from its end alone as from the whole, however long it is", () => {
    fc.assert(
      fc.property(moments, fc.nat(), (all, cut) => {
        const session: Session = { lines: [], truth: { losses: 0, settled: 0, handed: 0 }, now: 1_000_000 };
        for (const each of all) happen(session, each);
        // What two hooks told of one moment, and the handoff that belongs to it, stand together in the part that is read.
        const starts = session.lines.flatMap(({ type }, index) => (type === "compacting" || index === 0 ? [index] : []));
        const from = starts[cut % Math.max(starts.length, 1)] ?? 0;
        const { host, parent, losses, settled } = stateOf("s", session.lines);
        const end = stateOf("s", session.lines.slice(from + (session.lines[from - 1]?.type === "compacting" ? -1 : 0)));
        expect({ host: end.host, parent: end.parent, losses: end.losses, settled: end.settled }).toEqual({
          host,
          parent,
          losses,
          settled,
        });
      }),
      { numRuns: 150 },
    );
  });
});

function counted({ losses, settled }: Truth) {
  return { losses, settled };
}
