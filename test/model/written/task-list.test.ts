import { describe, expect, test } from "vitest";
import { parseTaskList } from "../../../src/model/written/task-list.ts";

function tasksIn(text: string) {
  const list = parseTaskList(text);
  if (!list.ok) throw new Error(list.problem);
  return list.tasks;
}
const titles = (text: string) => tasksIn(text).map(({ id, title }) => `${id} ${title}`);
const problem = (text: string) => {
  const list = parseTaskList(text);
  return list.ok ? null : list.problem;
};

describe("a JSON list", () => {
  test("has texts, which get ids, and maps as set_tasks takes them", () => {
    const given = [{ id: "api", title: "The API", description: "REST", depends_on: ["db"] }, "The page"];
    expect(tasksIn(JSON.stringify(given))).toEqual([given[0], { id: "t2", title: "The page" }]);
  });

  test("may be empty, begin with a mark of its encoding, or be a block of code in an answer", () => {
    expect(tasksIn(" [] \r\n")).toEqual([]);
    expect(titles('\uFEFF["One"]')).toEqual(["t1 One"]);
    expect(titles('My plan:\n\n```json\n{"a": 1}\n```\n- so be it\n```json\n["One", "Two"]\n```\n')).toEqual([
      "t1 One",
      "t2 Two",
    ]);
  });

  test.each([
    ['{"tasks": []}', "it is JSON, but not a list"],
    ['["One", 2]', "task 2: a task has only an id and a title, and optionally a description and depends_on"],
    [
      '[{"id": "a", "title": "A", "desciption": "x"}]',
      "task 1: a task has only an id and a title, and optionally a description and depends_on",
    ],
    ['[{"id": "a"}]', "task 1: the title must be text on one line, not empty, at most 500 characters"],
    ['[{"id": [[[]]], "title": "A"}]', "task 1: the id must be text on one line, not empty, at most 100 characters"],
    ['["A", {"id": "t1", "title": "B"}]', 'task 2: the id "t1" occurs twice'],
    ['["\\u001b[2J"]', "task 1: the title must be text on one line, not empty, at most 500 characters"],
    ['["A",', "it begins like JSON, but is not valid JSON"],
    [`${"[".repeat(100_000)}`, "it begins like JSON, but is not valid JSON"],
    [
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      "task 1: a task has only an id and a title, and optionally a description and depends_on",
    ],
    [
      JSON.stringify(Array.from({ length: 10_001 }, (_, n) => `${n}`)),
      "it has 10,001 tasks; at most 10,000 are allowed",
    ],
  ])("that cannot be used says why (%#)", (text, why) => {
    expect(problem(text)).toBe(why);
  });
});

describe("a Markdown list", () => {
  test("has a task for each open box; a checked one is done, and ids count all of them", () => {
    const list = parseTaskList(
      "# Plan\n\nSome words.\n\n- [ ] One\n* [x] Two\n+ [X] Three\n1. [ ] Four\r\n2) [ ]  Five\there\n",
    );
    expect(list).toEqual({
      ok: true,
      done: 2,
      tasks: [
        { id: "t1", title: "One" },
        { id: "t4", title: "Four" },
        { id: "t5", title: "Five here" },
      ],
    });
  });

  test("is empty when all boxes are checked", () => {
    expect(parseTaskList("- [x] One\n- [x] Two\n")).toEqual({ ok: true, tasks: [], done: 2 });
  });

  test("has in the description what is indented below a box, boxes too", () => {
    const text =
      "- [ ] One\n  in detail\n\n  - [ ] first\n    - [x] half\n\n      code\n- [x] Two\n  - [ ] not any more\n- plain\n  - [ ] Three\n";
    expect(tasksIn(text)).toEqual([
      { id: "t1", title: "One", description: "in detail\n\n- [ ] first\n  - [x] half\n\n    code" },
      { id: "t3", title: "Three" },
    ]);
  });

  test.each([
    ["code", "- [ ] One\n\n```md\n- [ ] not this\n```\n~~~\n- [ ] nor this\n```\n~~~\n"],
    ["indented code", "- [ ] One\n\nText\n\n    - [ ] not this\n\t- [ ] nor this\n"],
    ["code that a list item ends", "- plain\n  ```\n  - [ ] not this\n- [ ] One\n"],
    ["a comment", "<!-- - [ ] not this -->\n<!--\n- [ ] nor this\n-->\n- [ ] One\n"],
    ["a quotation", "> - [ ] not this\n\n- [ ] One\n"],
    ["other boxes", "- [?] not this\n- [] nor this\n- [ ]nor this\n- [ ] One\n[ ] nor this\n"],
  ])("has no task in %s", (_name, text) => {
    expect(tasksIn(text).map(({ title }) => title)).toEqual(["One"]);
  });

  test.each([
    ["", "it is empty; if there is no task, it must be []"],
    [" \n\t\n", "it is empty; if there is no task, it must be []"],
    [
      "- One\n- Two\n",
      'it has no task; write a JSON list, or a Markdown list with a box before each task: "- [ ] title"',
    ],
    ["a\n- [ ] One\n- [ ]\n", "line 3: the title must be text on one line, not empty, at most 500 characters"],
    [`- [ ] ${"x".repeat(501)}`, "line 1: the title must be text on one line, not empty, at most 500 characters"],
    ["- [ ] \u001b[31mred", "line 1: the title must be text on one line, not empty, at most 500 characters"],
    [`- [ ] One\n  ${"x".repeat(20_001)}`, "line 1: the description must be text, at most 20,000 characters"],
    ["[see](x.md)\n", "it begins like JSON, but is not valid JSON"],
  ])("that cannot be used says why (%#)", (text, why) => {
    expect(problem(text)).toBe(why);
  });

  test("is read in one pass, whatever it has", () => {
    const hostile = ["<!--", "- ", "```\n", "- [ ] a\n  ", "\t- [x]\n", " ".repeat(9), "\u2028", "- [ ] b\n"];
    for (const piece of hostile) parseTaskList(piece.repeat(Math.floor(100_000 / piece.length)));
    parseTaskList(hostile.join("").repeat(1_000));
  });
});
