import { describe, expect, test } from "vitest";
import { createCoded, key, sentIn } from "./coded.ts";
import type { ModelAnswer } from "./model/answer.ts";
import type { ModelRequest } from "./model/request.ts";
import { call, calls, question } from "./whole-story.ts";

describe("a provider that does not answer as it should", () => {
  const cases: readonly [name: string, first: ModelAnswer, expected: { code: number; says: RegExp }][] = [
    ["a bad key", { error: "bad-key" }, { code: 4, says: /401/ }],
    ["a spent quota", { error: "rate-limit" }, { code: 4, says: /429/ }],
    ["an empty answer", {}, { code: 4, says: /answered nothing/ }],
    ["a refusal", { error: "refusal" }, { code: 4, says: /refuses to answer/ }],
    ["garbage", { broken: "garbage" }, { code: 4, says: /parked/ }],
  ];
  test.each(cases)("%s parks the run with one clear message", async (_name, first, { code, says }) => {
    const project = await createCoded({ answer: () => first });
    const { stdout, stderr, code: ended } = await project.run("--no-wait");
    expect(`${stdout}${stderr}`).toMatch(says);
    expect(ended).toBe(code);
    expect(`${stdout}${stderr}`).not.toContain(key);
    expect(project.model.requests).toHaveLength(1);
  });

  test("a request that is too long is sent once more after a compaction", async () => {
    const files = ["one.txt", "two.txt", "three.txt"];
    const answer = (_request: ModelRequest, index: number): ModelAnswer => {
      const file = files[index];
      if (file !== undefined) return calls(call("read", { path: file }));
      return index === files.length ? { error: "overflow" } : calls(call("ask_question", { question }));
    };
    const project = await createCoded({ answer });
    for (const file of files) project.write(file, `${file}\n`.repeat(3_000));
    expect(await project.run()).toMatchObject({ code: 4, stdout: expect.stringContaining(question) });
    const sizes = project.model.requests.slice(-2).map((request) => sentIn(request).length);
    expect(sizes[1]).toBeLessThan((sizes[0] ?? 0) * 0.8);
  });
});
