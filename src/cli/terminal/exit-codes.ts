/** The exit codes of every command; scripts rely on them. `waits`: `holdfast run` needs a person, or a limit to end. */
export const exitCodes = { done: 0, refused: 1, usage: 2, failed: 3, waits: 4, interrupted: 130 } as const;
