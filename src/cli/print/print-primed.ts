import type { PrimeReply } from "../../app/commands/prime-context.ts";
import { table } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";

/** The artifacts themselves, then one line about each. */
export function printPrimed({ artifacts, text, problem }: PrimeReply, paint: Paint): string {
  const warning = problem === undefined ? "" : `${paint.bad("warning:")} ${problem}\n`;
  if (artifacts.length === 0) return `${warning}this workflow has no critical artifacts\n`;
  const rows = artifacts.map(({ id, status, path, bytes, note }) => [
    paint.strong(id),
    status,
    path ?? "",
    bytes === null ? "" : `${bytes} bytes`,
    note === null ? "" : paint.dim(note),
  ]);
  return `${warning}${text === "" ? "" : `${text}\n\n`}${table(rows, { edge: paint.edge })}`;
}
