import type { Context } from "../context.ts";
import type { ModelMessage } from "../conversation/message.ts";
import { type AiSdkOptions, type AiSdkPrompt, toAiSdk } from "./ai-sdk.ts";
import { appendMessage, reportInput } from "./append-step.ts";

/** The options of the AI SDK's `prepareStep` that are used here. */
export interface StepOptions {
  readonly stepNumber: number;
  readonly messages: readonly unknown[];
  /** Newer versions pass the replies of all steps separately. */
  readonly responseMessages?: readonly unknown[];
  readonly steps?: readonly { readonly usage?: { readonly inputTokens?: number | undefined } }[];
}

export interface PrepareStepOptions extends AiSdkOptions {
  /** The token limit of a request; by default the context's limit. */
  readonly maxTokens?: number;
  readonly signal?: AbortSignal;
}

/**
 * For `generateText({ prepareStep })` and similar functions: appends every step's replies to the context and sends the
 * context's view, compacted if it is too large. Create one per call of `generateText`.
 */
export function createPrepareStep(
  context: Context,
  { maxTokens, signal, ...options }: PrepareStepOptions = {},
): (step: StepOptions) => Promise<AiSdkPrompt> {
  let given: number | null = null;
  let taken = 0;
  return async ({ messages, responseMessages, steps }) => {
    if (given === null) {
      given = messages.length;
      begin(context, messages);
    }
    const replies = (responseMessages ?? messages.slice(given)).slice(taken);
    taken += replies.length;
    if (replies.length > 0) reportInput(context, steps?.at(-1)?.usage?.inputTokens);
    for (const message of replies) take(context, message);
    await context.compact(maxTokens, signal === undefined ? {} : { signal });
    return toAiSdk(context.messages(), options);
  };
}

/** If the context already has a conversation, the first messages came from it. */
function begin(context: Context, messages: readonly unknown[]): void {
  if (context.conversation().length > 0) return;
  for (const message of messages) take(context, message);
}

function take(context: Context, message: unknown): void {
  const given = message as ModelMessage;
  if (given.role !== "system" || context.conversation().length > 0) appendMessage(context, given);
  else if (context.systemPrompt() === undefined) context.resetSystemPrompt(given.content);
}
