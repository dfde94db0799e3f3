import type { TestedWorkflow } from "../../app/queries/test-workflow.ts";
import { beside, pad, table, widthOf } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { plural } from "../terminal/wording.ts";
import { wrapText } from "../terminal/wrap-text.ts";

/** A longer place only shifts its own row. */
const widestPlace = 32;

/** One line per visit with what happened there, then the verdict. `told` adds the instructions. */
export function printRehearsal(tested: TestedWorkflow, paint: Paint, told: boolean | undefined): string {
  const { visits, problems } = tested;
  const width = Math.min(widestPlace, Math.max(0, ...visits.map((visit) => widthOf(visit.token ?? visit.place))));
  const lines = visits.map(({ token, place, notes, instructions }) => {
    const name = token === null ? paint.dim(pad(place, width)) : pad(token, width);
    const line = beside(`  ${name}  `, notes.join("; "), paint.edge);
    return told === true && instructions !== null ? `${line}${indented(instructions, paint)}` : line;
  });
  const rows = problems.map(({ position, path, message }) => [
    position === null ? "" : `${position.line}:${position.column}`,
    path,
    message,
  ]);
  return `${lines.join("")}${table(rows, { most: widestPlace, edge: paint.edge })}${verdictOn(tested, paint)}\n`;
}

function indented(instructions: string, paint: Paint): string {
  const text = wrapText(instructions.trim(), paint.edge - 6);
  return `${text.replace(/^(?=.)/gm, "      ")}\n`;
}

function verdictOn({ workflow, status, visits, problems }: TestedWorkflow, paint: Paint): string {
  const count = visits.filter(({ token }) => token !== null).length;
  if (problems.length > 0) return paint.bad(`${workflow}: ${plural(problems.length, "problem")}`);
  return paint.good(`${workflow}: ${plural(count, "visit")}, ${status}`);
}
