import type { Hints } from "../model/visit-rules.ts";

/** Which model a step gets. `ignored` is what the step asks for and does not get. */
export interface ChosenModel {
  readonly model: string;
  readonly ignored?: string;
}

/**
 * A step's hint counts if it names a model of the provider that was chosen for the run, as `<provider>/<model>`. Other names, such
 * as `sonnet`, are meant for other programs, and another provider may be one that nobody wants to pay.
 */
export function chooseModel(provider: string, model: string, { model: hint }: Hints): ChosenModel {
  if (hint === undefined || hint === `${provider}/${model}`) return { model };
  const own = `${provider}/`;
  return hint.startsWith(own) && hint.length > own.length
    ? { model: hint.slice(own.length) }
    : { model, ignored: hint };
}
