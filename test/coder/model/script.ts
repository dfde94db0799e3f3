import type { ModelAnswer } from "./answer.ts";
import type { ModelRequest } from "./request.ts";

/** An answer, or what makes one of the request. */
export type Step = ModelAnswer | ((request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>);

/** Answers request after request, one step each. A request too many fails the test and shows how it ended. */
export function script(steps: readonly Step[]): (request: ModelRequest) => Promise<ModelAnswer> {
  let taken = 0;
  return async (request) => {
    const step = steps[taken];
    taken += 1;
    if (step === undefined) {
      const last = JSON.stringify(request.messages.at(-1), null, 2);
      throw new Error(
        `The script has ${steps.length} steps, and this request is number ${taken}. It ends with ${last}`,
      );
    }
    return typeof step === "function" ? await step(request) : step;
  };
}
