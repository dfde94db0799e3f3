import { styleText } from "node:util";
import type { StreamStyle } from "./io.ts";
import { clip } from "./layout.ts";

/** Colours and line width for one stream; plain text without a width for pipes and files. */
export interface Paint {
  good(text: string): string;
  bad(text: string): string;
  strong(text: string): string;
  dim(text: string): string;
  /** The width for layouts; 80 for pipes and files. */
  readonly columns: number;
  /** The width at which lines wrap; infinite for pipes and files. */
  readonly edge: number;
  /** Cuts a text on a terminal. Call it before adding colours. */
  fit(text: string, room: number): string;
}

const columnsElsewhere = 80;

export function createPaint({ colours, columns }: StreamStyle): Paint {
  const style = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    // `colours` was decided for this stream; by default Node would check standard output only.
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
