import { quote } from "../quote.ts";
import type { Wording } from "./wording.ts";

/** The facts of refusals about starting a run. */
export interface StartingFacts {
  "project-unfit": { readonly folder: string; readonly what: "home" | "root" };
  "request-differs": { readonly workflow: string; readonly run: string; readonly summary: string | null };
  "request-too-long": { readonly length: number; readonly most: number };
}

export const startingRefusals: { readonly [C in keyof StartingFacts]: Wording<StartingFacts[C]> } = {
  "project-unfit": {
    when: "The project would be the user's home folder or the root of the file system.",
    word: (d) => [
      `${d.folder} is ${d.what === "home" ? "your home folder" : "the root of the file system"}, not a project`,
      {
        cli: "change to the project's folder; if you are in it, run `git init` there first",
        mcp: "ask the person to start you in the project's folder, or to run `git init` there first",
      },
    ],
  },
  "request-differs": {
    when: "The workflow has a live run here that was started for another request.",
    word: (d) => [
      `the workflow ${quote(d.workflow)} has a live run here, ${d.run}, ` +
        `${d.summary === null ? "which was started without a request" : `for another request: ${quote(d.summary)}`}`,
      {
        cli: `continue it with \`holdfast next --run ${d.run}\`, or start another run with --new`,
        mcp: `continue it: call workflow_status with run_id ${d.run}; if the person wants another run, send new: true`,
      },
    ],
  },
  "request-too-long": {
    when: "The request is longer than a run can keep.",
    word: (d) => [
      `the request has ${d.length.toLocaleString("en")} characters; at most ${d.most.toLocaleString("en")} are possible`,
      "put the details in a file of the project, and name that file in the request",
    ],
  },
};
