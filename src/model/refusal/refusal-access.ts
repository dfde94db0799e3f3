import type { Wording } from "./wording.ts";

/** The facts of refusals about tokens for the server. */
export interface AccessFacts {
  "token-exists": { readonly name: string };
  "token-unknown": { readonly name: string };
}

export const accessRefusals: { readonly [C in keyof AccessFacts]: Wording<AccessFacts[C]> } = {
  "token-exists": {
    when: "There is a token of that name for `holdfast serve`.",
    word: (d) => [
      `there is a token named ${d.name}, and no token is shown twice`,
      `use another name, or revoke it first: holdfast token revoke ${d.name}`,
    ],
  },
  "token-unknown": {
    when: "There is no token of that name for `holdfast serve`.",
    word: (d) => [`there is no token named ${d.name}`, "see the names: holdfast token list"],
  },
};
