import type { Context } from "../context.ts";
import type { ModelMessage } from "../conversation/message.ts";
import { systemNote } from "./wire.ts";

/** The part of the AI SDK's `prepareStep` options that is used here. */
export interface StepOptions {
  readonly stepNumber: number;
  readonly messages: readonly unknown[];
  /** Newer versions name the replies of all steps so far apart from what went in. */
  readonly responseMessages?: readonly unknown[];
  readonly steps?: readonly { readonly usage?: { readonly inputTokens?: number | undefined } }[];
}

export interface PreparedStep {
  system?: string;
  messages: ModelMessage[];
}

export interface PrepareStepOptions {
  /** A request never has more tokens than this; the context's limit by default. */
  readonly maxTokens?: number;
  readonly signal?: AbortSignal;
}

/**
 * For `generateText({ prepareStep })` and its kin: every step's replies are taken into the context, and what is sent is
 * the context's own view, compacted when it has grown too large. One for each call of `generateText`.
 */
export function createPrepareStep(
  context: Context,
  { maxTokens, signal }: PrepareStepOptions = {},
): (step: StepOptions) => Promise<PreparedStep> {
  let given: number | null = null;
  let taken = 0;
  return async ({ messages, responseMessages, steps }) => {
    if (given === null) {
      given = messages.length;
      begin(context, messages);
    }
    const replies = (responseMessages ?? messages.slice(given)).slice(taken);
    taken += replies.length;
    if (replies.length > 0) correct(context, steps?.at(-1)?.usage?.inputTokens);
    for (const message of replies) take(context, message);
    await context.compact(maxTokens, signal === undefined ? {} : { signal });
    return split(context.messages());
  };
}

/** A context that already holds a conversation was where the first messages came from. */
function begin(context: Context, messages: readonly unknown[]): void {
  if (context.conversation().length > 0) return;
  for (const message of messages) take(context, message);
}

/** The context is still as it was sent: the replies have not been taken in yet. */
function correct(context: Context, inputTokens: number | undefined): void {
  if (inputTokens !== undefined && inputTokens > 0) context.reportUsage(inputTokens);
}

function take(context: Context, message: unknown): void {
  const { role, content, providerOptions } = message as ModelMessage;
  if (role === "system" && context.conversation().length === 0) {
    if (context.systemPrompt() === undefined) context.resetSystemPrompt(content);
    return;
  }
  context.append(role, content, providerOptions === undefined ? {} : { providerOptions });
}

/** Providers behind the SDK take system messages in front only, so later notes speak as the user. */
function split(messages: readonly ModelMessage[]): PreparedStep {
  const [first, ...others] = messages;
  const rest = first?.role === "system" ? others : messages;
  const said = rest.map(
    (message): ModelMessage =>
      message.role === "system" ? { ...message, role: "user", content: systemNote(message.content) } : message,
  );
  return { ...(first?.role === "system" && { system: first.content }), messages: said };
}
