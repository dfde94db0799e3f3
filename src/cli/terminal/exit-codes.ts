/** The exit codes of every command; scripts rely on them. */
export const exitCodes = { done: 0, refused: 1, usage: 2, failed: 3 } as const;
