import type { Place } from "../../model/place.ts";
import { quote } from "../../model/quote.ts";
import type { Visit } from "../../model/run.ts";
import { error, type Finding, type Path } from "../../templates/problem.ts";
import type { Answer, ReadScript } from "./script.ts";

/** What the script says about one try of one visit. */
export interface Cue {
  readonly token: string;
  readonly answer: Answer;
  readonly path: Path;
  /** Whether the next try gets an answer of its own. */
  readonly isList: boolean;
}

export interface Cues {
  next(visit: Visit): Cue | { readonly finding: Finding };
  /** Answers that no visit came to take. */
  unused(): Finding[];
}

/** Hands out the script's answers. A place that it does not name gets an empty one. */
export function createCues({ answers }: ReadScript): Cues {
  const taken = new Map<string, number>();
  return {
    next({ token, place }) {
      const key = keysOf(place).find((candidate) => answers.has(candidate));
      const scripted = key === undefined ? undefined : answers.get(key);
      if (key === undefined || scripted === undefined) return { token, answer: {}, path: ["answers"], isList: false };
      const count = taken.get(key) ?? 0;
      taken.set(key, count + 1);
      const found = scripted.answers[scripted.isList ? count : 0];
      if (found !== undefined) return { token, isList: scripted.isList, ...found };
      return { finding: error(["answers", key], `${token} needs one more answer than the ${count} in this list`) };
    },
    unused: () =>
      [...answers].flatMap(([key, scripted]) => {
        const count = taken.get(key) ?? 0;
        const { length } = scripted.answers;
        if (count === 0) return [error(["answers", key], `no visit came to ${quote(key)}`, { at: "key" })];
        if (!scripted.isList || count >= length) return [];
        return [
          error(["answers", key, count], `this answer is left over: the visits needed only ${count} of ${length}`),
        ];
      }),
  };
}

/** The keys that can name a place: the narrowest first. */
function keysOf(place: Place): string[] {
  if (place.type !== "sub-step") return [place.step];
  return [`${place.step}/${place.task}/${place.subStep}`, `${place.step}/${place.subStep}`];
}
