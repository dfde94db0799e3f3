import type { Artifact } from "../model/artifact.ts";
import { summarize } from "./summarize.ts";

/** Less would show neither where a text begins nor where it ends. */
export const leastExcerpt = 300;
/** More would take the room of other things for a text that is not whole anyway. */
export const longestExcerpt = 3_000;

/** Shows the beginning, an outline and the end of a text that does not fit, in about `most` characters. */
export function createExcerpt(type: Artifact["type"], text: string): (most: number) => string {
  const outline = outlineOf(type, text);
  return (most) => excerptOf(text, clip(outline, most * 0.3), most);
}

function excerptOf(text: string, outline: string, most: number): string {
  const room = most - outline.length;
  const head = wholeLines(text.slice(0, room * 0.65), "end");
  const tail = wholeLines(text.slice(-room * 0.35), "start");
  const middle = outline === "" ? [] : ["[outline]", outline];
  const gone = text.length - head.length - tail.length;
  return [head, `[${gone} characters left out]`, ...middle, "[the end]", tail].join("\n");
}

/** Empty if there is nothing beyond the lines that the beginning shows anyway. */
function outlineOf(type: Artifact["type"], text: string): string {
  if (type !== "markdown" && type !== "json") return "";
  try {
    return summarize(type, text).split("\n").slice(1).join("\n");
  } catch (error) {
    // A part of a JSON text is not JSON.
    if (error instanceof SyntaxError) return "";
    throw error;
  }
}

function clip(text: string, most: number): string {
  return text.length <= most ? text : `${wholeLines(text.slice(0, most), "end")}\n…`;
}

/** Without the line that the cut has broken, if enough is left; never half a character. */
function wholeLines(text: string, broken: "start" | "end"): string {
  const whole =
    broken === "end" ? text.replace(/[\ud800-\udbff]$/, "").replace(/\n[^\n]*$/, "") : text.replace(/^[^\n]*\n/, "");
  if (whole.length >= text.length / 2) return whole;
  return broken === "end" ? text.replace(/[\ud800-\udbff]$/, "") : text.replace(/^[\udc00-\udfff]/, "");
}
