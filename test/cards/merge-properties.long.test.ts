import fc from "fast-check";
import { expect, test } from "vitest";
import { type Card, cardText, editsOf, mergeCard, type OwnCard, parseCard } from "../../src/cards/card.ts";
import { anyCharacter } from "../any-character.ts";
import { cases } from "../dose.ts";
import { later, ownOf, runId, start } from "./own.ts";

const path = fc.stringMatching(/^@?[a-z]{1,3}\.md$/);
const record = fc.dictionary(
  fc.oneof(fc.constantFrom("a", "b", "__proto__", "constructor"), fc.string()),
  fc.jsonValue(),
);
const known = ["workflow", "workflow_type", "phase", "required_reading", "context", "key_reminders"];
const ours = ["created_at", "updated_at", "run_id", "version"];
const unknown = record.map((value) =>
  Object.fromEntries(Object.entries(value).filter(([key]) => ![...known, ...ours].includes(key))),
);
const word = fc.stringMatching(/^[a-z日ä]{1,4}$/);
const parts = {
  required_reading: fc.array(path, { maxLength: 5 }),
  key_reminders: fc.array(word, { maxLength: 5 }),
  context: record,
  other: unknown,
};
const own: fc.Arbitrary<OwnCard> = fc
  .record({ ...parts, run_id: fc.constantFrom(runId, null) })
  .map((more) => ownOf(more));
const written = fc
  .record(parts)
  .map(({ other, ...more }) => ({ ...other, workflow: "feature", created_at: start, ...more }));

/** As it stands on the disk and is read again. */
function stored(value: unknown): Card {
  const parsed = parseCard(typeof value === "string" ? value : JSON.stringify(value));
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.card;
}

test("a hundred merges lose nothing that an agent or a person wrote, and the second changes nothing more", () => {
  fc.assert(
    fc.property(own, written, (engine, value) => {
      const there = stored(value);
      const once = stored(cardText(mergeCard(engine, there, later)));
      let card = there;
      for (let round = 0; round < 100; round++) card = stored(cardText(mergeCard(engine, card, later)));
      expect(card).toEqual(once);
      expect(card.required_reading).toEqual(expect.arrayContaining([...there.required_reading]));
      expect(card.key_reminders).toEqual(expect.arrayContaining([...there.key_reminders]));
      expect({ ...card.context, ...there.context }).toEqual(card.context);
      expect({ ...card.other, ...there.other }).toEqual(card.other);
    }),
    cases({ quick: 10, long: 250, soak: 2_500 }),
  );
});

test("whatever the engine says in between, what others wrote stays", () => {
  fc.assert(
    fc.property(fc.array(own, { minLength: 1, maxLength: 8 }), written, (engines, value) => {
      const there = stored(value);
      let card = there;
      for (const engine of engines) card = stored(cardText(mergeCard(engine, card, later)));
      expect(new Set(card.required_reading)).toEqual(new Set([...card.required_reading, ...there.required_reading]));
      expect({ ...card.context, ...there.context }).toEqual(card.context);
      expect({ ...card.other, ...there.other }).toEqual(card.other);
      expect(new Set(card.required_reading).size).toBe(card.required_reading.length);
      expect(new Set(card.key_reminders).size).toBe(card.key_reminders.length);
    }),
    cases({ quick: 15, long: 500, soak: 5_000 }),
  );
});

test("the engine's part and the edits together are the whole card: one that was lost is written anew", () => {
  fc.assert(
    fc.property(own, written, (engine, value) => {
      const card = stored(cardText(mergeCard(engine, stored(value), later)));
      const edits = editsOf(engine, card);
      if (edits === null) return;
      const anew = mergeCard(
        {
          ...engine,
          required_reading: [...engine.required_reading, ...edits.required_reading],
          key_reminders: [...engine.key_reminders, ...edits.key_reminders],
          context: { ...engine.context, ...edits.context },
          other: { ...engine.other, ...edits.other },
        },
        null,
        later,
      );
      expect(new Set(anew.required_reading)).toEqual(new Set(card.required_reading));
      expect(new Set(anew.key_reminders)).toEqual(new Set(card.key_reminders));
      expect(stored(cardText(anew)).context).toEqual(card.context);
      expect(stored(cardText(anew)).other).toEqual(card.other);
    }),
    cases({ quick: 15, long: 500, soak: 5_000 }),
  );
});

test("no text makes the reading of a card fail", () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.json(),
    fc
      .record(Object.fromEntries([...known, ...ours].map((key) => [key, fc.jsonValue()])))
      .map((value) => JSON.stringify(value)),
    fc
      .record(Object.fromEntries(["phase", ...ours].map((key) => [key, fc.jsonValue()])))
      .map((value) => JSON.stringify({ ...value, workflow: "w" })),
  );
  fc.assert(
    fc.property(text, (value) => {
      const parsed = parseCard(value);
      if (parsed.ok) expect(parseCard(cardText(parsed.card))).toMatchObject({ ok: true, card: parsed.card });
    }),
    cases({ quick: 30, long: 2_500, soak: 25_000 }),
  );
});
