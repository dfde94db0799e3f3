/** What a scripted model answers: words, calls of tools, or both. */
export interface Reply {
  readonly text?: string;
  readonly calls?: readonly ToolCall[];
  /** How full the context is said to be; a large number brings automatic compaction. */
  readonly inputTokens?: number;
  /** The model refuses to answer. Only Claude Code's model has a word for that. */
  readonly refuses?: boolean;
}

export interface ToolCall {
  /** As the program names it in its own words, for example `mcp__echo__repeat`. */
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}
