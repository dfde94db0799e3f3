import { codePoints, truncateMiddle } from "../../model/truncate.ts";
import { isError, type ModelMessage, outputText, type Part, type ToolOutput, type ToolResultPart } from "./message.ts";

/** The id under which a message can be read again. */
export function messageId(id: number): string {
  return `message-${id}`;
}

/** The message with the named outputs replaced by pointers; the same object if it contains none of them. */
export function clearOutputs(message: ModelMessage, calls: ReadonlySet<string>): ModelMessage {
  if (message.role !== "tool" || !message.content.some((part) => calls.has(part.toolCallId))) return message;
  return { ...message, content: message.content.map((part) => (calls.has(part.toolCallId) ? pointTo(part) : part)) };
}

function pointTo(part: ToolResultPart): ToolResultPart {
  const size = codePoints(outputText(part.output));
  const value = `[Output of ${size} characters cleared; ${howToRead(part.toolCallId)}]`;
  return { ...part, output: { type: isError(part.output) ? "error-text" : "text", value } };
}

/**
 * The message with every long text shortened to head and tail. Calls stay whole, because a partial call is invalid, and
 * so do thoughts, because the provider has signed them.
 */
export function shortenMessage(message: ModelMessage, limit: number, id: number): ModelMessage {
  const whole = howToRead(messageId(id));
  const { content } = message;
  if (typeof content === "string")
    return { ...message, content: truncateMiddle(content, limit, whole) } as ModelMessage;
  const parts = content.map((part) => (isProviders(message, part) ? part : shortenPart(part, limit, whole)));
  return { ...message, content: parts } as ModelMessage;
}

/** The result of a tool that the provider ran is part of the reply, and only valid as a whole. */
function isProviders({ role }: ModelMessage, { type }: Part): boolean {
  return role === "assistant" && type === "tool-result";
}

function shortenPart(part: Part, limit: number, whole: string): Part {
  switch (part.type) {
    case "text":
      return { ...part, text: truncateMiddle(part.text, limit, whole) };
    case "image":
    case "file":
      return { type: "text", text: `[${part.type} left out here; ${whole}]` };
    case "tool-result":
      return { ...part, output: shortenOutput(part.output, limit, howToRead(part.toolCallId)) };
    default:
      return part;
  }
}

function shortenOutput(output: ToolOutput, limit: number, whole: string): ToolOutput {
  const text = outputText(output);
  const value = truncateMiddle(text, limit, whole);
  const hasMedia = output.type === "content" && output.value.some((part) => part.type !== "text");
  if (value === text && !hasMedia) return output;
  return { type: isError(output) ? "error-text" : "text", value };
}

function howToRead(id: string): string {
  return `read_output(${JSON.stringify(id)}) gives the whole`;
}
