/** What a person can decide about a visit that failed or was interrupted. */
export const failureVerdicts = ["retry", "skip", "go_to", "abandon"] as const;
/** What a person can decide about a spent budget. */
export const reviewVerdicts = ["continue", "pivot", "escalate", "abandon"] as const;
