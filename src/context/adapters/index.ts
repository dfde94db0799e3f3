export { type AiSdkOptions, type AiSdkPrompt, toAiSdk } from "./ai-sdk.ts";
export { type AnthropicBody, type AnthropicOptions, toAnthropic } from "./anthropic.ts";
export { appendLastStep, type Step } from "./append-step.ts";
export type { CacheOption } from "./cache.ts";
export { type OpenAiBody, toOpenAi } from "./openai.ts";
export { fromOpenAiResponses } from "./openai-output.ts";
export { type OpenAiResponsesBody, toOpenAiResponses } from "./openai-responses.ts";
export { createPrepareStep, type PrepareStepOptions, type StepOptions } from "./prepare-step.ts";
export { fromAnthropic, fromOpenAi, type OpenAiReply, type ReplyBlock } from "./replies.ts";
