import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, type StoredLine, stateOf } from "../../src/sessions/session-state.ts";
import { cases } from "../dose.ts";

type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type Told = Without<Line, "at" | "via">;

/** A session that is told of by two hooks, and what is true of it, counted without any log. */
interface Session {
  readonly lines: StoredLine[];
  now: number;
  losses: number;
  settled: number;
  handed: number;
}

/** Which of the two hooks tells first of a moment, and how long after that the other does. */
interface Order {
  readonly first: string;
  readonly gapMs: number;
}

function createSession(): Session {
  return { lines: [], now: 1_000_000, losses: 0, settled: 0, handed: 0 };
}

/** Adds a line as a hook does, which has read the log before; whether it was the first to tell. */
function add(session: Session, via: string, told: Told): boolean {
  const nonce = String(session.lines.length);
  const at = new Date(session.now).toISOString();
  const { host, parent, losses, settled } = stateOf("s", session.lines);
  session.lines.push({ ...told, at, via, session: "s", nonce, before: { host, parent, losses, settled } });
  return !stateOf("s", session.lines).repeated.includes(nonce);
}

/** Both hooks tell the same; exactly one of them is the first. */
function both(session: Session, { first, gapMs }: Order, told: Told): void {
  const firsts = [first, first === "project" ? "plugin" : "project"].filter((via, index) => {
    session.now += index * gapMs;
    return add(session, via, told);
  });
  expect(firsts).toEqual([first]);
  session.now += 1;
}

function lose(session: Session, order: Order, source: string): void {
  session.losses += 1;
  if (source === "compact") both(session, order, { type: "compacting", restorable: true });
  both(session, order, { type: "started", source, host: "claude", parent: "7.1" });
  if (source === "startup") return;
  session.handed = session.losses;
  add(session, order.first, { type: "handed", loss: session.losses, fallback: false });
}

function settle(session: Session, via: string): void {
  const { pending } = stateOf("s", session.lines);
  if (pending === null) return;
  session.settled = pending.loss;
  add(session, via, { type: "settled", loss: pending.loss });
}

/** What may happen to a session. */
const happenings: Readonly<Record<string, (session: Session, order: Order) => void>> = {
  startup: (session, order) => lose(session, order, "startup"),
  resume: (session, order) => lose(session, order, "resume"),
  compaction: (session, order) => lose(session, order, "compact"),
  "a call of the agent": (session) => settle(session, "call"),
  "a prompt after which the handoff is seen": (session, { first }) => settle(session, first),
  "a stop": (session, order) => both(session, order, { type: "stopped" }),
  "the end of a compaction": (session, order) => both(session, order, { type: "compacted" }),
};

const story = fc.array(
  fc.record({
    what: fc.constantFrom(...Object.keys(happenings)),
    order: fc.record({ first: fc.constantFrom("project", "plugin"), gapMs: fc.integer({ min: 0, max: 3_000 }) }),
    pauseMs: fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 20_000 })),
  }),
  { maxLength: 30 },
);

function happen(session: Session, { what, order, pauseMs }: { what: string; order: Order; pauseMs: number }): void {
  session.now += pauseMs;
  happenings[what]?.(session, order);
}

describe("what a session's log tells", () => {
  it("counts everything once that two hooks tell of, in whatever order and however far apart", () => {
    fc.assert(
      fc.property(story, (moments) => {
        const session = createSession();
        for (const moment of moments) {
          happen(session, moment);
          const { losses, settled, pending } = stateOf("s", session.lines);
          const open = session.handed === session.losses && session.handed > session.settled ? session.losses : null;
          expect({ losses, settled, pending: pending?.loss ?? null }).toEqual({
            losses: session.losses,
            settled: session.settled,
            pending: open,
          });
        }
      }),
      cases({ quick: 120, long: 4_000, soak: 20_000 }),
    );
  });

  it("is the same from its end alone as from the whole, wherever one moment ends and the next begins", () => {
    fc.assert(
      fc.property(story, story, (moments, later) => {
        const session = createSession();
        for (const moment of moments) happen(session, moment);
        const from = session.lines.length;
        // Two hooks tell of one moment within seconds; this one is long over.
        session.now += 60_000;
        for (const moment of [{ what: "a stop", order: { first: "project", gapMs: 0 }, pauseMs: 0 }, ...later]) {
          happen(session, moment);
        }
        const standing = ({ host, parent, losses, settled }: ReturnType<typeof stateOf>) => {
          return { host, parent, losses, settled };
        };
        expect(standing(stateOf("s", session.lines.slice(from)))).toEqual(standing(stateOf("s", session.lines)));
      }),
      cases({ quick: 50, long: 1_500, soak: 10_000 }),
    );
  });
});
