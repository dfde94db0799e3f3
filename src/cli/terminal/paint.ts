import { styleText } from "node:util";
import type { StreamStyle } from "./io.ts";
import { clip } from "./layout.ts";

/** Colours and a width on a terminal, plain and uncut text elsewhere. */
export interface Paint {
  good(text: string): string;
  bad(text: string): string;
  strong(text: string): string;
  dim(text: string): string;
  /** How wide lines are laid out. */
  readonly columns: number;
  /** Where lines must end: the terminal's edge, and nowhere elsewhere. */
  readonly edge: number;
  /** Cuts a text to its room on a terminal, before it is coloured. */
  fit(text: string, room: number): string;
}

const columnsElsewhere = 80;

export function createPaint({ colours, columns }: StreamStyle): Paint {
  const style = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    // Whether there are colours is decided above, for each stream; Node would look at standard output alone.
    colours ? styleText(format, text, { validateStream: false }) : text;
  return {
    good: style("green"),
    bad: style("red"),
    strong: style("bold"),
    dim: style("dim"),
    columns: columns ?? columnsElsewhere,
    edge: columns ?? Number.POSITIVE_INFINITY,
    fit: (text, room) => (columns === null ? text : clip(text, room)),
  };
}
