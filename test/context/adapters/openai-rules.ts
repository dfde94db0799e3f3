type Fields = Readonly<Record<string, unknown>>;

/** What OpenAI's Chat Completions API refuses, found in a body as it would be sent. Empty when the body is fine. */
export function openAiProblems(body: unknown): string[] {
  const problems: string[] = [];
  const { messages, ...others } = JSON.parse(JSON.stringify(body)) as Fields;
  if (Object.keys(others).length > 0) problems.push(`unknown fields ${Object.keys(others).join()}`);
  if (/\\ud[89a-f]/i.test(JSON.stringify(body))) problems.push("half a surrogate pair");
  const all = Array.isArray(messages) ? (messages as Fields[]) : [];
  const first = all.find(({ role }) => role !== "system");
  if (first?.role !== "user") problems.push(`the first to speak is ${first?.role ?? "nobody"}`);
  const ids = new Set<string>();
  let waiting: string[] = [];
  for (const [index, message] of all.entries()) {
    const say = (problem: string) => problems.push(`message ${index}: ${problem}`);
    waiting = message.role === "tool" ? checkResult(message, waiting, say) : checkSpoken(message, waiting, ids, say);
  }
  if (waiting.length > 0) problems.push(`unanswered calls ${waiting.join()}`);
  return problems;
}

function checkResult(message: Fields, waiting: readonly string[], say: (problem: string) => void): string[] {
  const id = String(message.tool_call_id);
  if (!waiting.includes(id)) say(`result for ${id}, which nobody waits for`);
  if (typeof message.content !== "string") say("result is no text");
  return waiting.filter((other) => other !== id);
}

function checkSpoken(
  message: Fields,
  waiting: readonly string[],
  ids: Set<string>,
  say: (problem: string) => void,
): string[] {
  if (waiting.length > 0) say(`unanswered calls ${waiting.join()}`);
  return checkMessage(message, ids, say);
}

function checkMessage(message: Fields, ids: Set<string>, say: (problem: string) => void): string[] {
  const { role, content, tool_calls: calls } = message;
  const isFilled = typeof content === "string" ? content.trim() !== "" : Array.isArray(content) && content.length > 0;
  if (role === "system" && (typeof content !== "string" || !isFilled)) say("empty system message");
  else if (role === "user" && !isFilled) say("empty user message");
  else if (role === "assistant" && !isFilled && (content !== null || calls === undefined)) say("empty reply");
  else if (role !== "system" && role !== "user" && role !== "assistant") say(`unknown role ${role}`);
  if (calls === undefined) return [];
  if (role !== "assistant" || !Array.isArray(calls) || calls.length === 0) say("calls where none can be");
  return (calls as Fields[]).map((call) => checkCall(call, ids, say));
}

function checkCall({ id, type, function: called }: Fields, ids: Set<string>, say: (problem: string) => void): string {
  const { name, arguments: words } = (called ?? {}) as Fields;
  if (type !== "function") say("call of another type");
  if (!/^[a-zA-Z0-9_-]{1,40}$/.test(String(id))) say(`call id ${id}`);
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name))) say(`tool name ${name}`);
  if (ids.has(String(id))) say(`call id ${id} twice`);
  ids.add(String(id));
  try {
    JSON.parse(String(words));
  } catch {
    say("arguments are no JSON");
  }
  return String(id);
}
