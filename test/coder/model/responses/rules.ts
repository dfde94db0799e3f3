import { type Fields, fields, found, list, string } from "../json.ts";
import { isSystem, itemsOf } from "./read.ts";
import { encryptedContent, reasoningOf } from "./reply.ts";

/** What the Responses API refuses. */
export function responsesProblems(body: Fields, headers: Fields): string[] {
  const items = itemsOf(body);
  const head = items.findIndex((item) => !isSystem(item));
  const names = list(body.tools).map((tool) => string(fields(tool).name));
  const ids = items.map(({ id }) => string(id)).filter(Boolean);
  return [
    ...found([
      [!string(headers.authorization).startsWith("Bearer "), "no API key"],
      [items.length === 0, "input is empty"],
      [head >= 0 && items.slice(head).some(isSystem), "a system message behind the first of the user"],
      [new Set(names).size < names.length, "a tool name twice"],
      [new Set(ids).size < ids.length, "Duplicate item found"],
      [/\\ud[89a-f]/i.test(JSON.stringify(body)), "half a surrogate pair"],
      ...names.map((name) => [!/^[a-zA-Z0-9_-]{1,64}$/.test(name), `tool name ${name}`] as const),
    ]),
    ...items.flatMap((item, index) => itemProblems(item, index).map((problem) => `item ${index}: ${problem}`)),
    ...callProblems(items),
    ...items.flatMap((item, index) => reasoningProblems(item, index, items)),
  ];
}

function itemProblems(item: Fields, index: number): string[] {
  const { type = "message", id } = item;
  if (type === "message") return messageProblems(item, index);
  if (type === "function_call") {
    return found([
      [!isJson(item.arguments), "arguments are no JSON"],
      [!/^[a-zA-Z0-9_-]{1,64}$/.test(string(item.call_id)), `call_id ${item.call_id}`],
      [!/^[a-zA-Z0-9_-]{1,64}$/.test(string(item.name)), `tool name ${item.name}`],
    ]);
  }
  if (type === "function_call_output") {
    const isText = typeof item.output === "string" || list(item.output).length > 0;
    return isText ? [] : ["output is no text"];
  }
  if (type === "reasoning") return [];
  if (type === "item_reference") {
    return [`Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`];
  }
  return [`unknown type ${type}`];
}

const partsFor: Readonly<Record<string, readonly string[]>> = {
  user: ["input_text", "input_image", "input_file"],
  assistant: ["output_text", "refusal"],
  system: ["input_text"],
  developer: ["input_text"],
};

function messageProblems({ role, content }: Fields, index: number): string[] {
  const allowed = partsFor[string(role)];
  if (allowed === undefined) return [`unknown role ${role}`];
  if (typeof content === "string") return content.trim() === "" ? ["empty text"] : [];
  const parts = list(content).map(fields);
  return [
    ...found([
      [parts.length === 0, "empty content"],
      [index === 0 && role === "assistant", "the first to speak is assistant"],
    ]),
    ...parts.flatMap(({ type, text }) =>
      found([
        [!allowed.includes(string(type)), `${type} from ${role}`],
        [typeof text === "string" && text.trim() === "", "empty text"],
      ]),
    ),
  ];
}

function isJson(words: unknown): boolean {
  try {
    JSON.parse(string(words));
    return true;
  } catch {
    return false;
  }
}

/** Every call has one output, which comes behind it and before anybody speaks. */
function callProblems(items: readonly Fields[]): string[] {
  const problems: string[] = [];
  const known = new Set<string>();
  let waiting: string[] = [];
  for (const { type, call_id, role } of items) {
    const id = string(call_id);
    if (type === "function_call") {
      if (known.has(id)) problems.push(`call_id ${id} twice`);
      known.add(id);
      waiting.push(id);
    } else if (type === "function_call_output") {
      if (!waiting.includes(id)) problems.push(`No tool call found for function call output with call_id ${id}.`);
      waiting = waiting.filter((other) => other !== id);
    } else if (role === "user") {
      problems.push(...waiting.map(unanswered));
      waiting = [];
    }
  }
  return [...problems, ...waiting.map(unanswered)];
}

function unanswered(id: string): string {
  return `No tool output found for function call ${id}.`;
}

function reasoningProblems(item: Fields, index: number, items: readonly Fields[]): string[] {
  const id = string(item.id);
  const needed = reasoningOf(id);
  const before = items.slice(0, index).map((other) => other.id);
  const next = items[index + 1];
  const isFollowed = next?.type === "function_call" || next?.type === "reasoning" || next?.role === "assistant";
  const sealed = item.encrypted_content;
  return found([
    [
      needed !== undefined && !before.includes(needed),
      `Item '${id}' was provided without its required 'reasoning' item: '${needed}'.`,
    ],
    [
      item.type === "reasoning" && !isFollowed,
      `Item '${id}' of type 'reasoning' was provided without its required following item.`,
    ],
    [
      typeof sealed === "string" && id !== "" && sealed !== encryptedContent(id),
      `The encrypted content for item ${id} could not be verified.`,
    ],
  ]);
}
