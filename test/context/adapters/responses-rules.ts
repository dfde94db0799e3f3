type Fields = Readonly<Record<string, unknown>>;

/** Items that OpenAI's own tools make; they answer themselves. */
const ownItems = /^(web_search|file_search|code_interpreter|image_generation|mcp)_call$|^mcp_list_tools$|^compaction$/;

/** What OpenAI's Responses API refuses when it stores nothing, found in a body as it would be sent. */
export function responsesProblems(body: unknown): string[] {
  const problems: string[] = [];
  const text = JSON.stringify(body);
  const { instructions, input, ...others } = JSON.parse(text) as Fields;
  if (Object.keys(others).length > 0) problems.push(`unknown fields ${Object.keys(others).join()}`);
  if (/\\ud[89a-f]/i.test(text)) problems.push("half a surrogate pair");
  if (instructions !== undefined && isBlank(instructions)) problems.push("empty instructions");
  const items = Array.isArray(input) ? (input as Fields[]) : [];
  const first = items.find(({ role }) => role !== "system");
  if (first?.role !== "user") problems.push(`the first to speak is ${first?.role ?? first?.type ?? "nobody"}`);
  return [...problems, ...itemProblems(items)];
}

function itemProblems(items: readonly Fields[]): string[] {
  const problems: string[] = [];
  const calls = new Set<string>();
  let waiting: string[] = [];
  for (const [index, item] of items.entries()) {
    const say = (problem: string) => problems.push(`item ${index}: ${problem}`);
    const id = String(item.call_id);
    if (item.type === "function_call_output") {
      if (!waiting.includes(id)) say(`result for ${id}, which nobody waits for`);
      if (typeof item.output !== "string" && !isFilled(item.output)) say("result is empty");
      waiting = waiting.filter((other) => other !== id);
    } else if (item.type === "function_call") {
      checkCall(item, calls, say);
      waiting = [...waiting, id];
    } else checkOther(item, items[index + 1], waiting, say);
  }
  return waiting.length > 0 ? [...problems, `unanswered calls ${waiting.join()}`] : problems;
}

function checkCall(item: Fields, calls: Set<string>, say: (problem: string) => void): void {
  const id = String(item.call_id);
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id)) say(`call id ${id}`);
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(item.name))) say(`tool name ${item.name}`);
  if (calls.has(id)) say(`call id ${id} twice`);
  calls.add(id);
  try {
    JSON.parse(String(item.arguments));
  } catch {
    say("arguments are no JSON");
  }
}

function checkOther(
  item: Fields,
  next: Fields | undefined,
  waiting: readonly string[],
  say: (problem: string) => void,
): void {
  const { type, role } = item;
  if (waiting.length > 0 && (role === "user" || role === "system")) say(`unanswered calls ${waiting.join()}`);
  if (type === "reasoning") checkThought(item, next, say);
  else if (type === "message") checkMessage(item, say);
  else if (!ownItems.test(String(type))) say(`unknown item ${type}`);
}

function checkThought(item: Fields, next: Fields | undefined, say: (problem: string) => void): void {
  const isFollowed = next !== undefined && (next.role === "assistant" || /call$|^reasoning$/.test(String(next.type)));
  if (!isFollowed) say("reasoning without what follows it");
  if (typeof item.encrypted_content !== "string") say("reasoning that is stored nowhere");
  if (!Array.isArray(item.summary)) say("reasoning without a summary");
}

function checkMessage({ role, content }: Fields, say: (problem: string) => void): void {
  if (role !== "user" && role !== "system" && role !== "assistant") say(`unknown role ${role}`);
  if (typeof content === "string" ? isBlank(content) : !isFilled(content)) say("empty message");
}

function isBlank(value: unknown): boolean {
  return typeof value !== "string" || value.trim() === "";
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
