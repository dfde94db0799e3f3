type Fields = Readonly<Record<string, unknown>>;

const blocksFor = {
  user: ["text", "image", "document", "tool_result"],
  assistant: [
    ...["text", "thinking", "redacted_thinking", "tool_use", "server_tool_use"],
    ...["web_search_tool_result", "web_fetch_tool_result", "code_execution_tool_result"],
  ],
} as const;

/** What Anthropic's Messages API refuses, found in a body as it would be sent. Empty when the body is fine. */
export function anthropicProblems(body: unknown): string[] {
  const problems: string[] = [];
  const text = JSON.stringify(body);
  const { system, messages, ...others } = JSON.parse(text) as Fields;
  if (Object.keys(others).length > 0) problems.push(`unknown fields ${Object.keys(others).join()}`);
  if (/\\ud[89a-f]/i.test(text)) problems.push("half a surrogate pair");
  if (system !== undefined && !list(system).every(isText)) problems.push("system is not a list of texts");
  if (text.split('"cache_control":').length > 5) problems.push("more than four cache marks");
  const turns = list(messages).map(readTurn);
  if (turns.length === 0) problems.push("no messages");
  const ids = new Set<string>();
  for (const [index, turn] of turns.entries()) {
    const before = turns[index - 1]?.calls ?? [];
    const isLast = index === turns.length - 1;
    const found = [
      ...turnProblems(turn, index, before, isLast),
      ...twice(ids, turn.calls),
      ...turn.blocks.flatMap(blockProblems(turn.role)),
    ];
    problems.push(...found.map((problem) => `message ${index}: ${problem}`));
  }
  const open = turns.at(-1)?.calls ?? [];
  if (open.length > 0) problems.push(`unanswered calls ${open.join()}`);
  return problems;
}

interface Turn {
  readonly role: unknown;
  readonly blocks: readonly Fields[];
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

function readTurn(turn: unknown): Turn {
  const { role, content } = fields(turn);
  const blocks = list(content).map(fields);
  const calls = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => String(id));
  const results = blocks.filter(({ type }) => type === "tool_result").map(({ tool_use_id: id }) => String(id));
  return { role, blocks, calls, results };
}

function turnProblems(
  { role, blocks, results }: Turn,
  index: number,
  calls: readonly string[],
  isLast: boolean,
): string[] {
  const checks: [boolean, string][] = [
    [role !== (index % 2 === 0 ? "user" : "assistant"), `role ${role} out of turn`],
    [blocks.length === 0, "empty content"],
    [results.toSorted().join() !== calls.toSorted().join(), `results [${results}] for calls [${calls}]`],
    [blocks.slice(0, results.length).some(({ type }) => type !== "tool_result"), "results are not first"],
    [blocks.some(isThought) && !isThought(blocks[0] ?? {}), "does not begin with its thoughts"],
    [isThought(blocks.at(-1) ?? {}), "ends with a thought"],
    [!isLast && unpaired(blocks).length > 0, `unpaired blocks of server tools ${unpaired(blocks)}`],
    [role === "assistant" && isLast && /\s$/.test(String(blocks.at(-1)?.text ?? "")), "ends in white space"],
  ];
  return checks.flatMap(([isWrong, problem]) => (isWrong ? [problem] : []));
}

/** The calls of Anthropic's own tools without a result after them in the same turn, and results without a call. */
function unpaired(blocks: readonly Fields[]): string[] {
  const calls = blocks.filter(({ type }) => type === "server_tool_use").map(({ id }) => String(id));
  const results = blocks.filter(({ type }) => /._tool_result$/.test(String(type)));
  const answered = results.map(({ tool_use_id: id }) => String(id));
  return [...calls.filter((id) => !answered.includes(id)), ...answered.filter((id) => !calls.includes(id))];
}

function twice(ids: Set<string>, calls: readonly string[]): string[] {
  return calls.flatMap((id) => {
    const known = ids.has(id);
    ids.add(id);
    return known ? [`call id ${id} twice`] : [];
  });
}

function blockProblems(role: unknown): (block: Fields) => string[] {
  return (block) => {
    const type = String(block.type);
    const allowed: readonly string[] = blocksFor[role === "assistant" ? "assistant" : "user"];
    const checks: [boolean, string][] = [
      [!allowed.includes(type), `${type} from ${role}`],
      [type === "text" && !isText(block), "blank text"],
      [type === "thinking" && typeof block.signature !== "string", "unsigned thought"],
      [isThought(block) && "cache_control" in block, "cache mark on a thought"],
      [type === "tool_result" && !isResultContent(block.content), "bad result content"],
      [type === "tool_use" && !/^[a-zA-Z0-9_-]{1,64}$/.test(String(block.id)), `call id ${block.id}`],
      [type === "tool_use" && !/^[a-zA-Z0-9_-]{1,64}$/.test(String(block.name)), `tool name ${block.name}`],
      [type === "tool_use" && (typeof block.input !== "object" || Array.isArray(block.input)), "input is no object"],
    ];
    return checks.flatMap(([isWrong, problem]) => (isWrong ? [problem] : []));
  };
}

function isThought({ type }: Fields): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function isResultContent(content: unknown): boolean {
  if (content === undefined || (typeof content === "string" && content.trim() !== "")) return true;
  const blocks = list(content).map(fields);
  return (
    blocks.length > 0 && blocks.every((block) => (block.type === "text" ? isText(block) : block.type !== "tool_use"))
  );
}

function isText(block: unknown): boolean {
  const { type, text } = fields(block);
  return type === "text" && typeof text === "string" && text.trim() !== "";
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
