import { describe, expect, it } from "vitest";
import { currentItem, parseTodo, todoItems, todoMarker, todoOwner, withoutMarker } from "../../src/model/todo.ts";

const runId = "coder-20260131_120000-ab12";

describe("a todo list", () => {
  it("is checkboxes with anything between them", () => {
    const text =
      "# Plan\n\n- [x] one\n* [X] two\n1. [-] three\n  - [ ] four  \n[ ] five\nnot an item\n- [] nor this\n- [ ]";
    expect(todoItems(text)).toEqual([
      { status: "done", text: "one" },
      { status: "done", text: "two" },
      { status: "in_progress", text: "three" },
      { status: "pending", text: "four" },
      { status: "pending", text: "five" },
    ]);
  });

  it.each([
    ["- [x] a\n- [ ] b\n- [-] c", "c"],
    ["- [x] a\n- [ ] b", "b"],
    ["- [x] a", null],
  ])("%j is at %j", (text, current) => {
    expect(currentItem(todoItems(text))).toBe(current);
  });

  it.each([
    ["", "is empty"],
    [" \n\t ", "is empty"],
    ["just words", "has no item"],
    ["- [ ] a\0b", "is not plain text"],
    ["- [ ] a\u001b[31m", "is not plain text"],
    ["- [ ] a\ud800", "is not plain text"],
    ["- [ ] x\n".repeat(51), "has 51 items; at most 50 are allowed"],
    [`- [ ] ${"x".repeat(20_000)}`, "is longer than 20,000 characters"],
  ])("cannot be %j: it %s", (text, problem) => {
    expect(parseTodo(text)).toEqual({ ok: false, problem });
  });

  it("has at least one item and at most fifty", () => {
    expect(parseTodo("- [ ] x\n".repeat(50))).toMatchObject({ ok: true });
    expect(parseTodo("- [ ] 買い物 🎉")).toEqual({ ok: true, items: [{ status: "pending", text: "買い物 🎉" }] });
  });

  it("says in its first line whose it is", () => {
    const text = `${todoMarker(runId)}\n\n- [ ] a\n`;
    expect([todoOwner(text), withoutMarker(text)]).toEqual([runId, "- [ ] a"]);
    expect(todoOwner(`- [ ] a\n${todoMarker(runId)}`)).toBeNull();
  });
});
