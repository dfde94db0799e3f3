import { ContextError } from "./context-error.ts";
import { callsOf, type ModelMessage, outputText, type Part, type ToolOutput } from "./message.ts";

export type CountTokens = (text: string) => number;

/** Counts the tokens of messages, each message only once. */
export interface Scale {
  text(text: string): number;
  message(message: ModelMessage): number;
  /** The sum over a list. If the list has only grown at its end, only the new messages are counted. */
  list(messages: readonly { readonly message: ModelMessage }[]): number;
}

/** The overhead that providers add per message and part; slightly more than they document. */
const perMessage = 4;
const perPart = 4;
/** The tokens of a large image; a file costs more the longer it is. */
const perMedium = 1_600;
const fileCharactersPerToken = 40;

export function createScale(countTokens: CountTokens): Scale {
  const known = new WeakMap<ModelMessage, number>();
  let last: { list: readonly unknown[]; length: number; sum: number } = { list: [], length: 0, sum: 0 };
  const text = (words: string): number => {
    const tokens = words === "" ? 0 : Math.ceil(countTokens(words));
    if (Number.isFinite(tokens) && tokens >= 0) return tokens;
    throw new ContextError("option-invalid", { option: "countTokens", problem: `counted ${tokens} tokens` });
  };
  const message = (one: ModelMessage): number => {
    const tokens = known.get(one) ?? weighMessage(one, text);
    known.set(one, tokens);
    return tokens;
  };
  return {
    text,
    message,
    list(messages) {
      if (last.list !== messages || last.length > messages.length) last = { list: messages, length: 0, sum: 0 };
      for (; last.length < messages.length; last.length++) {
        const item = messages[last.length];
        if (item !== undefined) last.sum += message(item.message);
      }
      return last.sum;
    },
  };
}

function weighMessage({ content }: ModelMessage, text: (words: string) => number): number {
  if (typeof content === "string") return perMessage + text(content);
  return content.reduce((sum, part) => sum + perPart + weighPart(part, text), perMessage);
}

function weighPart(part: Part, text: (words: string) => number): number {
  switch (part.type) {
    case "text":
      return text(part.text);
    case "reasoning":
      return text(part.text) + extra(part, text);
    case "image":
      return perMedium;
    case "file":
      return perMedium + Math.ceil(part.data.length / fileCharactersPerToken);
    case "tool-call":
      return text(`${part.toolCallId} ${part.toolName} ${JSON.stringify(part.input)}`) + extra(part, text);
    case "tool-result":
      return text(part.toolCallId) + text(outputText(part.output)) + media(part.output);
    default:
      return text(JSON.stringify(part));
  }
}

/** Signatures and blocks that are sent along with a part. */
function extra({ providerOptions }: Part, text: (words: string) => number): number {
  return providerOptions === undefined ? 0 : text(JSON.stringify(providerOptions));
}

function media(output: ToolOutput): number {
  return output.type === "content" ? output.value.filter((part) => part.type !== "text").length * perMedium : 0;
}

/** Identifies repeated calls: the earlier result of the same call is superseded by the later one. */
export function callKeys(message: ModelMessage): string[] {
  return callsOf(message).map(({ toolName, input }) => `${toolName} ${JSON.stringify(input)}`);
}
