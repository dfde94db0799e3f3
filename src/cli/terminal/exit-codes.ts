/** What a script can tell from how a command ended. */
export const exitCodes = { done: 0, refused: 1, usage: 2, failed: 3 } as const;
