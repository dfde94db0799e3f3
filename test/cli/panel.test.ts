import { beforeEach, expect, test } from "vitest";
import { createPanel } from "../../src/cli/terminal/panel.ts";

const terminal = {
  columns: 60,
  rows: 24,
  written: "",
  write(text: string) {
    terminal.written += text;
    return true;
  },
};

const erased = (rows: number) => `\r\u001b[2K${"\u001b[A\u001b[2K".repeat(rows)}`;

beforeEach(() => void Object.assign(terminal, { columns: 60, rows: 24, written: "" }));

test("a panel is taken away whole after the window has become narrower", () => {
  const panel = createPanel(terminal);
  panel.show(["=".repeat(60), "boat", ""]);
  terminal.columns = 25;
  terminal.written = "";
  panel.above(() => terminal.write("done\n"));
  expect(terminal.written).toBe(`${erased(5)}done\n${"=".repeat(60)}\nboat\n\n`);
});

test("a panel leaves out what does not fit into a low window", () => {
  terminal.rows = 3;
  const panel = createPanel(terminal);
  panel.show(["one", "two", "three"]);
  panel.show([]);
  expect(terminal.written).toBe(`one\ntwo\n${erased(2)}`);
});

test("a panel is shown whole where the size of the window is not known", () => {
  Object.assign(terminal, { columns: 0, rows: 0 });
  const panel = createPanel(terminal);
  panel.show(["one", "two"]);
  panel.show([]);
  expect(terminal.written).toBe(`one\ntwo\n${erased(2)}`);
});
