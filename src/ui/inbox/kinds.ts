import type { WaitKind } from "../../serve/contract/contract.ts";
import type { IconName } from "../parts/icon.tsx";

interface Kind {
  readonly name: string;
  readonly icon: IconName;
  /** The colour of its mark: what has failed looks so. */
  readonly mark: "needs-you" | "failed" | "waiting";
}

export const kinds: Readonly<Record<WaitKind, Kind>> = {
  approval: { name: "Approval", icon: "gate", mark: "needs-you" },
  answer: { name: "Question", icon: "person", mark: "needs-you" },
  review: { name: "Budget spent", icon: "coin", mark: "needs-you" },
  decision: { name: "Failed step", icon: "failed", mark: "failed" },
  resume: { name: "Paused", icon: "waiting", mark: "waiting" },
  "context-action": { name: "Context action", icon: "compress", mark: "waiting" },
};
