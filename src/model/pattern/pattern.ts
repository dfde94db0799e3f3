import { BadPattern, type CharacterSet, type PatternPart, parsePattern } from "./pattern-syntax.ts";

/** A pattern that can be matched in time proportional to the length of the text: it is never tried twice at one place. */
export type Pattern = readonly Instruction[];

/** A character leads to the next instruction; a fork to both of its targets, without reading anything. */
type Instruction =
  | { readonly type: "character"; readonly set: CharacterSet }
  | { readonly type: "fork"; readonly to: readonly number[] }
  | { readonly type: "end" };

export type CompiledPattern =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly column: number; readonly problem: string };

/** Each repetition is written out, so this limits the time per character. */
const longestProgram = 2_000;

/** Compiles a pattern for whole texts, or for anywhere in one; or tells what is wrong with it at which column. */
export function compilePattern(text: string, { anywhere = false } = {}): CompiledPattern {
  return compileParts(() => parsePattern(text, anywhere));
}

/** The same for a pattern in another notation. `parse` throws `BadPattern`. */
export function compileParts(parse: () => PatternPart): CompiledPattern {
  try {
    const program: Instruction[] = [];
    emit(program, parse());
    program.push({ type: "end" });
    return { ok: true, pattern: program };
  } catch (error) {
    if (!(error instanceof BadPattern)) throw error;
    return { ok: false, column: error.column, problem: error.message };
  }
}

/** The most steps that a text may take: those of a text of 64 KB and the longest pattern, which is seconds. */
export const mostSteps = 65_536 * longestProgram;

/** The most steps that the whole of this text may take. */
export function stepsOf(pattern: Pattern, text: string): number {
  return pattern.length * text.length;
}

/** Whether the pattern matches the whole text. */
export function matchesWhole(pattern: Pattern, text: string): boolean {
  return isMatched(pattern, follow(pattern, beginning(pattern), text));
}

/** All the instructions at which the text so far may have arrived, each once; empty if it cannot match any more. */
export type Reached = readonly number[];

export function beginning(pattern: Pattern): Reached {
  return reach(pattern, [0], new Int32Array(pattern.length), 1);
}

/** Goes on with more of the text. Follows all ways through the pattern at once (Thompson, 1968). */
export function follow(pattern: Pattern, from: Reached, text: string): Reached {
  // The last character before which an instruction was reached; a new set for each would cost more than the match.
  const seen = new Int32Array(pattern.length);
  let here = from;
  let position = 0;
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    position += 1;
    const next = here.filter((at) => accepts(pattern[at], codePoint)).map((at) => at + 1);
    here = reach(pattern, next, seen, position);
    if (here.length === 0) break;
  }
  return here;
}

export function isMatched(pattern: Pattern, here: Reached): boolean {
  return here.some((at) => pattern[at]?.type === "end");
}

/** The instructions that read a character or end the pattern, as reached from these, each once. */
function reach(pattern: Pattern, open: number[], seen: Int32Array, position: number): number[] {
  const found: number[] = [];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen[at] === position) continue;
    seen[at] = position;
    const instruction = pattern[at];
    if (instruction?.type === "fork") open.push(...instruction.to);
    else found.push(at);
  }
  return found;
}

function accepts(instruction: Instruction | undefined, codePoint: number): boolean {
  if (instruction?.type !== "character") return false;
  return instruction.set.some(([first, last]) => first <= codePoint && codePoint <= last);
}

function emit(program: Instruction[], part: PatternPart): void {
  if (program.length > longestProgram) throw new BadPattern(1, "repeats too much; use smaller numbers");
  switch (part.type) {
    case "character":
      program.push(part);
      return;
    case "sequence":
      for (const each of part.of) emit(program, each);
      return;
    case "either":
      emitEither(program, part.of);
      return;
    case "repeat":
      emitRepeat(program, part);
  }
}

function emitRepeat(program: Instruction[], { of, least, most }: Extract<PatternPart, { type: "repeat" }>): void {
  for (let count = 0; count < least; count++) {
    const before = program.length;
    emit(program, of);
    // Nested repetitions of nothing would take forever without the program ever getting too long.
    if (program.length === before) break;
  }
  if (most === null) emitLoop(program, of);
  else for (let count = least; count < most; count++) emitOptional(program, of);
}

function emitEither(program: Instruction[], of: readonly PatternPart[]): void {
  const fork = reserve(program);
  const ends: number[] = [];
  const starts = of.map((each) => {
    const start = program.length;
    emit(program, each);
    ends.push(reserve(program));
    return start;
  });
  program[fork] = { type: "fork", to: starts };
  for (const end of ends) program[end] = { type: "fork", to: [program.length] };
}

function emitLoop(program: Instruction[], of: PatternPart): void {
  const fork = reserve(program);
  emit(program, of);
  program.push({ type: "fork", to: [fork] });
  program[fork] = { type: "fork", to: [fork + 1, program.length] };
}

function emitOptional(program: Instruction[], of: PatternPart): void {
  const fork = reserve(program);
  emit(program, of);
  program[fork] = { type: "fork", to: [fork + 1, program.length] };
}

/** A place for a fork whose targets are not known yet. */
function reserve(program: Instruction[]): number {
  return program.push({ type: "fork", to: [] }) - 1;
}
