import { type OperationName, operations } from "../../app/operations.ts";
import type { Actor } from "../../model/command.ts";
import type { Caller, Deps, Outcome } from "../../operation/operation.ts";
import { requireLevel, type Visitor } from "../access/visitor.ts";
import { HttpProblem, refusalProblem } from "../http/problem.ts";
import { checkInput } from "./input.ts";
import type { ServedOperation } from "./served.ts";

/** Long enough for most gates; whoever asks again gets the result. */
const patienceMs = 20_000;

/** Nobody yet: who calls is determined with each request. */
export function nobodyIn(env: Caller["env"]): Caller {
  return {
    face: "cli",
    env,
    session: undefined,
    isTerminal: false,
    surroundings: () => ({ terminal: null, ancestors: [] }),
    as: undefined,
    confirm: undefined,
    progress: undefined,
    signal: undefined,
    patience: async () => patienceMs,
  };
}

/**
 * The caller of an operation. Only a person of the page counts as one; everybody else is taken for an agent, also where an
 * operation would let a script through.
 */
function callerFor(nobody: Caller, { level }: Visitor, person: Actor | null): Caller {
  if (level === "person" && person !== null) return { ...nobody, person: { ...person, via: "dashboard" } };
  return { ...nobody, env: { ...nobody.env, HOLDFAST_AGENT: "1" } };
}

/** Carries out an operation for a visitor. Throws what there is to say against it. */
export async function callOperation(
  deps: Deps,
  visitor: Visitor,
  person: Actor | null,
  [name, options]: readonly [OperationName, ServedOperation],
  given: object,
): Promise<unknown> {
  requireLevel(visitor, options.level);
  const input = checkInput(name, options, given);
  if (options.needsYes === true && !("yes" in input && input.yes === true)) {
    const next = 'send "yes": true if it is meant';
    throw new HttpProblem(409, "confirmation-needed", `"${name}" needs a confirmation`, next);
  }
  // The input has passed the schema of this operation, which the union of all operations cannot express.
  const run = operations[name].run as (deps: Deps, input: object) => Promise<Outcome<unknown>>;
  const outcome = await run({ ...deps, caller: callerFor(deps.caller, visitor, person) }, input);
  await deps.journal.settle();
  if (!outcome.ok) throw refusalProblem(outcome.refusal);
  return outcome.value;
}
