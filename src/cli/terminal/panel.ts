import type { WriteStream } from "node:tty";
import { widthOf } from "./layout.ts";

/** Some terminals say that their size is 0. */
const unknown = Number.POSITIVE_INFINITY;

/** Lines at the bottom of the terminal: they are taken away, and drawn again below what is printed. */
export function createPanel(terminal: Pick<WriteStream, "columns" | "rows" | "write">) {
  let shown: readonly string[] = [];
  /** A line that has become wider than the window is wrapped by most terminals. */
  const rowsOf = (line: string) => Math.max(1, Math.ceil(widthOf(line) / (terminal.columns || unknown)));
  const clear = () => {
    const rows = shown.reduce((sum, line) => sum + rowsOf(line), 0);
    // Row by row, because tmux adds to its history what it erases at once from the top. The cursor may stand behind a ^C.
    if (rows > 0) terminal.write(`\r\u001b[2K${"\u001b[A\u001b[2K".repeat(rows)}`);
  };
  const draw = () => shown.length > 0 && terminal.write(`${shown.join("\n")}\n`);
  return {
    show(lines: readonly string[]) {
      clear();
      // What has left the window at its top cannot be taken away any more. The last row is the cursor's.
      shown = lines.slice(0, Math.max(0, (terminal.rows || unknown) - 1));
      draw();
    },
    above(print: () => void) {
      clear();
      print();
      draw();
    },
  };
}
