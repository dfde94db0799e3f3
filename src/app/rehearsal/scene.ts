import type { Command } from "../../model/command.ts";
import type { Refusal } from "../../model/refusal/refusal.ts";
import type { Visit } from "../../model/run.ts";
import { error, type Finding } from "../../templates/problem.ts";
import type { Cue } from "./cues.ts";
import type { Answer } from "./script.ts";
import { reasonOf, type Stage } from "./stage.ts";

/** One turn while it is taken: it knows which parts of the answer were needed. */
export interface Scene {
  readonly stage: Stage;
  readonly visit: Visit;
  readonly findings: Finding[];
  /** A part of the answer, which counts as needed from now on. */
  use<Key extends keyof Answer>(key: Key): Answer[Key];
  note(text: string): void;
  /** A command that the script has no way to make fail. */
  must(command: Command): readonly { readonly type: string; readonly action?: unknown }[];
  refused(refusal: Refusal): void;
  wrong(key: keyof Answer, message: string): void;
  failed(): boolean;
  unneeded(): Finding[];
}

export function createScene(stage: Stage, visit: Visit, { answer, path }: Cue): Scene {
  const used = new Set<string>();
  const findings: Finding[] = [];
  const scene: Scene = {
    stage,
    visit,
    findings,
    use(key) {
      used.add(key);
      return answer[key];
    },
    note: (text) => stage.note(visit.token, text),
    must(command) {
      const decision = stage.play(command);
      if (decision.ok) return decision.events;
      scene.refused(decision.refusal);
      return [];
    },
    refused: (refusal) => findings.push(error(path, `${visit.token}: ${reasonOf(refusal)}`)),
    wrong: (key, message) => findings.push(error([...path, key], `${visit.token} ${message}`)),
    failed: () => findings.length > 0,
    unneeded: () =>
      Object.keys(answer)
        .filter((key) => !used.has(key))
        .map((key) => error([...path, key], `${visit.token} does not need ${key}: ${reasons[key as keyof Answer]}`)),
  };
  return scene;
}

/** Why a part of an answer was not needed. */
const reasons: Readonly<Record<keyof Answer, string>> = {
  output: "its answer is what fail says, or the tasks of the loop",
  outcome: "only an answer that ends the visit has one",
  variables: "only an answer that ends the visit sets them",
  fail: "a command ends with an exit code",
  gates: "it has no gate to run or to look for",
  until: "it has no check that ends its passes",
  tasks: "only a loop that waits for its tasks takes them",
  exit: "only a step of type command has one",
  spend: "it has no budget",
  approve: "nobody is asked to approve it",
  reject: "nobody is asked to approve it",
  decide: "nobody is asked to decide",
  reason: "nobody is asked to decide",
};
