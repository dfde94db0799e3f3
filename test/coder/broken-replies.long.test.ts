import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCoded, occurrences, sentIn } from "./coded.ts";
import type { ModelAnswer, ModelReply } from "./model/answer.ts";
import type { ModelRequest } from "./model/request.ts";
import type { WireName } from "./model/start.ts";

const wires = ["anthropic", "openai-responses", "openai-chat"] satisfies WireName[];
const workflow = 'name: story\ndescription: One step\nsteps: [{ id: A, type: action, instructions: "Do it" }]\n';
const call = (name: string, input: Record<string, unknown>): ModelReply => ({ calls: [{ name, input }] });
const done = call("done", { output: "It is done." });
/** Half of it is in the middle of the call's input. */
const writes = call("write", { path: "half.txt", content: "word ".repeat(400) });
const speaks: ModelReply = { text: "HALF A SENTENCE that nobody has read to its end, because it was never sent" };

/** The first reply is a good call; `broken` is the second. */
async function meet(wire: WireName, broken: ModelAnswer | readonly ModelAnswer[], ...words: readonly string[]) {
  const script = [call("read", { path: "README.md" }), ...[broken].flat()];
  const project = await createCoded({ wire, workflow, answer: (_, index) => script[index] ?? done });
  const ended = await project.run("--no-wait", ...words);
  return {
    ...{ wire, said: `${ended.stdout}${ended.stderr}`, code: ended.code, requests: project.model.requests },
    isWritten: existsSync(join(project.root, "half.txt")),
  };
}

type Met = Awaited<ReturnType<typeof meet>>;

/** Nothing of the broken reply is sent, was carried out or is shown, and the run comes to its end. */
function expectUndone({ wire, said, code, requests, isWritten }: Met): void {
  expect(said, wire).toContain("complete story-");
  expect(code, wire).toBe(0);
  expect(requests, wire).toHaveLength(3);
  expect(requests[2]?.messages.slice(0, 3), wire).toEqual(requests[1]?.messages);
  expect(said, wire).not.toMatch(/HALF A SENTENCE|half\.txt/);
  expect(isWritten, wire).toBe(false);
}

// The pauses before another attempt are long, so the providers break at the same time.
const breakages: readonly [name: string, answer: ModelAnswer][] = [
  ["an error in the middle of a text", { error: "overloaded", after: speaks }],
  ["an error in the middle of a call", { error: "server", after: writes }],
  ["a connection that is lost in the middle of a text", { broken: "cut", after: speaks }],
  ["a connection that is lost in the middle of a call", { broken: "cut", after: writes }],
  ["a connection that is lost before the first byte", { broken: "cut" }],
];
test.each(breakages)("after %s, every provider is asked the same again", async (_name, answer) => {
  for (const met of await Promise.all(wires.map((wire) => meet(wire, answer)))) {
    expectUndone(met);
    expect(met.requests[2]?.body, met.wire).toEqual(met.requests[1]?.body);
  }
});

test("a reply that falls silent is given up after the idle limit, and every provider's model is told", async () => {
  const hang: ModelAnswer = { broken: "hang", after: writes };
  for (const met of await Promise.all(wires.map((wire) => meet(wire, hang, "--idle", "0.1")))) {
    expectUndone(met);
    expect(met.said, met.wire).toContain("nothing was heard from the agent for 6 s");
    expect(met.requests[2]?.messages.at(-1)?.text, met.wire).toContain(
      "The last attempt at this visit was interrupted",
    );
  }
});

describe.each(wires)("%s", (wire) => {
  test("a refusal parks the run", async () => {
    const { said, code, requests } = await meet(wire, { error: "refusal" });
    // Of a server with OpenAI's chat format, the SDK does not pass on what stands in the field for refusals.
    expect(said).toContain(`parked: the model ${wire === "openai-chat" ? "answered nothing" : "refuses to answer"}`);
    expect(code).toBe(4);
    expect(requests).toHaveLength(2);
  });

  test("of a reply that was cut by its length limit, no call is carried out", async () => {
    const { said, code, requests, isWritten } = await meet(wire, { ...speaks, ...writes, stop: "length" });
    expect(code).toBe(0);
    expect(isWritten).toBe(false);
    expect(requests).toHaveLength(3);
    expect(requests[2]?.messages.at(-1)?.text).toContain("cut off by its length limit");
    expect(sentIn(requests[2] as ModelRequest)).not.toContain("half.txt");
    expect(occurrences(said, "HALF A SENTENCE")).toBe(1);
  });

  test("replies that are cut one after the other park the run", async () => {
    const cut: ModelAnswer = { ...speaks, stop: "length" };
    const { said, code, requests } = await meet(wire, [cut, cut, call("list", {}), cut, cut, cut, cut]);
    expect(said).toMatch(/parked: [^\n]*cut off by (its|their) length limit/);
    expect(code).toBe(4);
    expect(requests).toHaveLength(7);
  });
});
