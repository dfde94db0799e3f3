import type { Face } from "../model/refusal/wording.ts";
import { clip } from "./data-text.ts";
import type { HandoffFacts } from "./facts.ts";
import {
  carriedSection,
  doneSection,
  identity,
  noteSection,
  otherSection,
  outputSection,
  type Section,
  todoSection,
} from "./sections.ts";

/** How many characters a recap may have. */
const longestRecap = 4_000;

/**
 * What an agent without the context of a run needs beside its instructions and rules: what the run is, what is done and
 * what was carried along. Over the limit, the least important sections become shorter first.
 */
export function buildRecap(facts: HandoffFacts, face: Face): string {
  const head = [identity(facts)];
  const sections: Section[] = [
    doneSection(facts, null),
    outputSection(facts, face),
    carriedSection(facts, face),
    todoSection(facts),
    otherSection(facts, face),
    noteSection(facts),
  ];
  const chosen = sections.map(() => 0);
  const compose = () =>
    [...head, ...sections.map(({ forms }, index) => forms[chosen[index] ?? 0] ?? "")].filter(Boolean).join("\n\n");
  let text = compose();
  for (let index = sections.length - 1; index >= 0 && text.length > longestRecap; ) {
    const next = (chosen[index] ?? 0) + 1;
    if (next >= (sections[index]?.forms.length ?? 0)) index -= 1;
    else chosen[index] = next;
    text = compose();
  }
  return clip(text, longestRecap);
}
