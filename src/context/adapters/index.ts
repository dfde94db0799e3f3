export { type AnthropicBody, type AnthropicOptions, toAnthropic } from "./anthropic.ts";
export { type OpenAiBody, toOpenAi } from "./openai.ts";
export { createPrepareStep, type PreparedStep, type PrepareStepOptions, type StepOptions } from "./prepare-step.ts";
export { fromAnthropic, fromOpenAi } from "./replies.ts";
