import type { Wording } from "./wording.ts";

/** The facts of refusals about where the runs of a project are. */
export interface StoreFacts {
  "store-local": { readonly what: string };
}

export const storeRefusals: { readonly [C in keyof StoreFacts]: Wording<StoreFacts[C]> } = {
  "store-local": {
    when: "The project keeps its runs in files, and the call is about a shared store.",
    word: (d) => [
      `this project keeps its runs in files, so ${d.what}`,
      'to share them, write "store: postgres" and "project: <name>" into .holdfast/config.yaml',
    ],
  },
};
