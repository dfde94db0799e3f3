import { styleText } from "node:util";

/** Colours on a terminal, plain text elsewhere. */
export interface Paint {
  good(text: string): string;
  bad(text: string): string;
  strong(text: string): string;
  dim(text: string): string;
  readonly columns: number;
}

export function createPaint(colours: boolean, columns: number): Paint {
  const style = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    colours ? styleText(format, text) : text;
  return { good: style("green"), bad: style("red"), strong: style("bold"), dim: style("dim"), columns };
}
