/** Something measured side by side in one run, and how much of it is too much. */
export interface Aim {
  readonly name: string;
  /** The first row is the head. */
  readonly rows: readonly (readonly string[])[];
  readonly value: number;
  readonly most: number;
}

/** Prints every aim with its table; false when one is missed. */
export function report(aims: readonly Aim[]): boolean {
  for (const { name, rows, value, most } of aims) {
    const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
    const lines = rows.map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join("   "));
    process.stdout.write(`${name}\n${lines.map((line) => `  ${line}\n`).join("")}`);
    process.stdout.write(`  ${value.toFixed(2)}, aim at most ${most}: ${value <= most ? "met" : "MISSED"}\n\n`);
  }
  return aims.every(({ value, most }) => value <= most);
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** In microseconds. */
export async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = process.hrtime.bigint();
  await act();
  return Number(process.hrtime.bigint() - start) / 1_000;
}
