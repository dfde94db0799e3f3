import type { VisitRow } from "../../serve/contract/run-answers.ts";
import { readTimeline } from "../api/calls.ts";

const pageSize = 200;

/** Finds visits by event. A run may have tens of thousands of them, so that only the pages on the way are read. */
export class VisitIndex {
  readonly #project: string;
  readonly #run: string;
  readonly #pages = new Map<number, readonly VisitRow[]>();
  #total = 0;

  constructor(project: string, run: string) {
    this.#project = project;
    this.#run = run;
  }

  /** The run has moved on: only its last page is older than the run. */
  forgetLast(): void {
    this.#pages.delete(Math.floor(Math.max(0, this.#total - 1) / pageSize));
  }

  /** The beginning of the visit that follows an event, or of the one before it; null if there is none. */
  async neighbour(event: number, by: 1 | -1): Promise<number | null> {
    const index = await this.#firstAfter(event);
    if (by === 1) return (await this.#row(index))?.firstEvent ?? null;
    // The visit that the event is in begins at the row before; standing on its first event, the one before that counts.
    const own = await this.#row(index - 1);
    if (own === null) return null;
    return own.firstEvent < event ? own.firstEvent : ((await this.#row(index - 2))?.firstEvent ?? null);
  }

  /** The index of the first visit that begins after an event. */
  async #firstAfter(event: number): Promise<number> {
    await this.#page(0);
    let [low, high] = [0, this.#total];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const row = await this.#row(middle);
      if (row !== null && row.firstEvent <= event) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  async #row(index: number): Promise<VisitRow | null> {
    if (index < 0) return null;
    const rows = await this.#page(Math.floor(index / pageSize));
    return rows[index % pageSize] ?? null;
  }

  async #page(number: number): Promise<readonly VisitRow[]> {
    const known = this.#pages.get(number);
    if (known !== undefined) return known;
    const from = number * pageSize;
    const { rows, total } = await readTimeline(this.#project, { run: this.#run, from, count: pageSize });
    this.#total = total;
    this.#pages.set(number, rows);
    return rows;
  }
}
