/** What applies to one visit. */
export interface VisitRules {
  /** What must hold before the visit may end, each as the end of a sentence: "`npm test` passes". */
  readonly gates: readonly string[];
  /** What ends the iterations of a step early. */
  readonly until: readonly string[];
  readonly agent: AgentLimits | null;
  /** What whoever does the work is limited to, and with which model. */
  readonly hints?: Hints;
}

/** How an agent is to be driven. */
export interface Hints {
  readonly model?: string;
  readonly effort?: string;
  readonly tools?: string[];
  readonly permissions?: "read" | "edit";
}

export interface AgentLimits {
  readonly name: string;
  readonly description: string;
  readonly cannot: readonly string[];
}

/** Where a person can act: at a terminal, in a browser, or in a dialog of the agent program. */
export const approvalPlaces = ["terminal", "dashboard", "host-dialog"] as const;
export type ApprovalPlace = (typeof approvalPlaces)[number];

/** What a budget can limit. Minutes are those in which the run was running; a cost is in US dollars. */
export const budgetLimits = ["turns", "minutes", "tokens", "cost"] as const;
export type BudgetLimit = (typeof budgetLimits)[number];
