import type { Context } from "../context.ts";
import {
  type AssistantMessage,
  type AssistantPart,
  callsOf,
  type ModelMessage,
  resultsOf,
} from "../conversation/message.ts";

/** What is used of a step of the AI SDK. Its messages include those of the steps before it. */
export interface Step {
  readonly response: { readonly messages: readonly object[] };
  readonly usage?: { readonly inputTokens?: number | undefined };
  readonly finishReason?: string;
}

/**
 * Appends what the last step of a call of `generateText` or `streamText` answered and corrects the token count by its
 * usage: `appendLastStep(context, await result.steps)`. Earlier steps come in through `prepareStep`. Call it before you
 * append anything else.
 */
export function appendLastStep(context: Context, steps: readonly Step[]): void {
  const last = steps.at(-1);
  if (last === undefined) return;
  reportInput(context, last.usage?.inputTokens);
  const earlier = steps.at(-2)?.response.messages.length ?? 0;
  const messages = last.response.messages.slice(earlier) as ModelMessage[];
  const answered = new Set(messages.flatMap(resultsOf).map((part) => part.toolCallId));
  for (const message of messages) {
    if (message.role === "assistant" && last.finishReason === "length") appendCut(context, message, answered);
    else appendMessage(context, message);
  }
}

/** In a reply that hit its length limit, only the calls that the SDK has run are complete. */
function appendCut(context: Context, message: AssistantMessage, answered: ReadonlySet<string>): void {
  const isWhole = (part: AssistantPart) =>
    part.type !== "tool-call" || part.providerExecuted === true || answered.has(part.toolCallId);
  const { content } = message;
  const cut = { ...message, content: typeof content === "string" ? content : content.filter(isWhole) };
  appendMessage(context, cut, callsOf(cut).length === 0);
}

export function appendMessage(
  context: Context,
  { role, content, providerOptions }: ModelMessage,
  truncated = false,
): void {
  context.append(role, content, { truncated, ...(providerOptions !== undefined && { providerOptions }) });
}

/** Only valid while the context is as it was sent, before the replies are appended. */
export function reportInput(context: Context, inputTokens: number | undefined): void {
  if (inputTokens !== undefined && inputTokens > 0) context.reportUsage(inputTokens);
}
