import type { CardPhase } from "./read-fields.ts";
import { stripMarkup } from "./strip-text.ts";
import { linesOf } from "./workflow-text.ts";

type State = "active" | "done" | "open";

/** A phase as one line of a plan names it. */
interface PhaseLine {
  readonly number: number;
  readonly name: string;
  readonly state: State | null;
  /** The level of a heading, whose lines up to the next one belong to the phase; null for an item of a list or table. */
  readonly level: number | null;
}

interface Phase {
  readonly number: number;
  readonly name: string;
  readonly states: readonly State[];
  readonly boxes: readonly boolean[];
}

/**
 * Where a plan stands by its own marks: the first phase marked as in progress, else the first that is not complete, by
 * its mark or its checkboxes. Null if the plan has no phases, or no marks.
 */
export function markedPhase(text: string): Omit<CardPhase, "status"> | null {
  const phases = phasesIn(text);
  if (phases.every(({ states, boxes }) => states.length + boxes.length === 0)) return null;
  const active = phases.findIndex(({ states }) => states.includes("active"));
  const unfinished = phases.findIndex((phase) => !isFinished(phase));
  const index = [active, unfinished, phases.length - 1].find((place) => place !== -1) ?? 0;
  const { number = 1, name = "" } = phases[index] ?? {};
  const isFromZero = phases[0]?.number === 0;
  const last = phases.at(-1)?.number ?? 1;
  return {
    current: isFromZero ? number + 1 : number,
    total: Math.max(phases.length, isFromZero ? last + 1 : last),
    name,
  };
}

function isFinished({ states, boxes }: Phase): boolean {
  return states.includes("done") || (states.length === 0 && boxes.length > 0 && boxes.every((checked) => checked));
}

/** The phases by their numbers. A plan may name one several times: in an overview, and as a heading. */
function phasesIn(text: string): Phase[] {
  const phases = new Map<number, Phase>();
  let open: PhaseLine | null = null;
  for (const line of linesOf(text)) {
    const phase = phaseLine(line);
    // An item says nothing about the lines after it.
    if (phase !== null && phase.level !== null) open = phase;
    if (phase === null && open !== null && (headingLevel(line) ?? 7) <= (open.level ?? 0)) open = null;
    const about = phase ?? open;
    if (about !== null) phases.set(about.number, joined(phases.get(about.number), about, phase === null ? line : null));
  }
  return [...phases.values()].sort((a, b) => a.number - b.number);
}

/** Adds what a line says: it names the phase, or it is a line below its heading. */
function joined(before: Phase | undefined, { number, name, state }: PhaseLine, below: string | null): Phase {
  const { states, boxes } = before ?? { states: [], boxes: [] };
  const said = below === null ? { states: state === null ? [] : [state], boxes: [] } : bodyOf(below);
  return {
    number,
    name: before === undefined || before.name === "" ? name : before.name,
    states: [...states, ...said.states],
    boxes: [...boxes, ...said.boxes],
  };
}

/** A heading, an item of a list, a row of a table or a bold line that begins with the number of a phase. */
function phaseLine(line: string): PhaseLine | null {
  const start = /^\s*(?:#{1,6}\s|[-*+]\s|\d{1,3}[.)]\s|\||>|\*\*)\s*/.exec(line)?.[0];
  if (start === undefined) return null;
  const box = /^\[([ xX])\]/.exec(line.slice(start.length))?.[1];
  const text = line.slice(start.length + (box === undefined ? 0 : 3));
  const [, mark = "", digits, rest = ""] = /^([^\p{L}\p{N}]*)phase\s+(\d{1,3})(?![\p{L}\p{N}])(.*)$/iu.exec(text) ?? [];
  if (digits === undefined) return null;
  const boxed: State | null = box === undefined ? null : box === " " ? "open" : "done";
  const state = stateIn(`${mark} ${rest}`) ?? boxed;
  return { number: Number(digits), name: nameIn(rest), state, level: headingLevel(line) };
}

/** What a line below the heading of a phase says about it: a status line, or a checkbox. */
function bodyOf(line: string): Pick<Phase, "states" | "boxes"> {
  const status = /^[\s>*+_-]*status[*_\s]*:(.*)$/i.exec(line)?.[1];
  const state = status === undefined ? null : stateIn(status);
  const box = /^\s*(?:[-*+]|\d{1,3}[.)])\s+\[([ xX])\]/.exec(line)?.[1];
  return { states: state === null ? [] : [state], boxes: box === undefined ? [] : [box !== " "] };
}

/** Words count only where they are not part of a name: "Phase 2: Complete the form" is not complete. */
function stateIn(text: string): State | null {
  if (/[\u{1F504}\u{1F6A7}\u{23F3}]|(?<!not\s)in[ _-]?progress(?!\p{L})/iu.test(text)) return "active";
  if (/[\u2705\u2611\u2714]|[[(\s:|*-](?:completed?|done)[\])*_\s|.]*$/iu.test(text)) return "done";
  return /[\u2B1C\u{1F532}\u{1F51C}]|(?:not[ _-]started|pending|to ?do|planned)[\])*_\s|.]*$/iu.test(text)
    ? "open"
    : null;
}

const marks = /\p{Extended_Pictographic}|\uFE0F|\u200D/gu;
const states =
  /[\s([:|\u2013\u2014-]*(?:in[ _-]?progress|completed?|done|not[ _-]started|pending|to ?do|planned)[\])*_\s.]*$/iu;

const longestName = 200;

function nameIn(rest: string): string {
  const cells = rest.slice(0, longestName).replace(marks, " ").split("|");
  const names = cells.map((cell) =>
    stripMarkup(cell.replace(/^[\s:.)*_\u2013\u2014-]+/u, ""))
      .replace(states, "")
      .trim(),
  );
  return (names.find((name) => name !== "") ?? "").replace(/[\s:(\u2013\u2014-]+$/u, "");
}

function headingLevel(line: string): number | null {
  return /^ {0,3}(#{1,6})(?=\s|$)/.exec(line)?.[1]?.length ?? null;
}
