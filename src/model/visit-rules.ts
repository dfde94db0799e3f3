/** What applies to one visit. */
export interface VisitRules {
  /** What must hold before the visit may end, each as the end of a sentence: "`npm test` passes". */
  readonly gates: readonly string[];
  /** What ends the iterations of a step early. */
  readonly until: readonly string[];
  readonly agent: AgentLimits | null;
}

export interface AgentLimits {
  readonly name: string;
  readonly description: string;
  readonly tools: readonly string[];
  readonly cannot: readonly string[];
}

/** Where a person can act: at a terminal, in a browser, or in a dialog of the agent program. */
export const approvalPlaces = ["terminal", "dashboard", "host-dialog"] as const;
export type ApprovalPlace = (typeof approvalPlaces)[number];
