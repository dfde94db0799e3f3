/** Variables with which an agent program pays. What an agent can make Holdfast run does not get them. */
const providerKeys = [
  ...["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY", "CODEX_API_KEY"],
  ...["GEMINI_API_KEY", "GOOGLE_API_KEY", "MISTRAL_API_KEY", "GROQ_API_KEY", "OPENROUTER_API_KEY", "XAI_API_KEY"],
  ...["DEEPSEEK_API_KEY", "AZURE_OPENAI_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"],
];

/**
 * The variables that gates and command steps of a driven run do not get; `own` are those of the user's own providers. Their settings
 * may pass some on.
 */
export function hiddenVariables(passed: readonly string[], own: readonly string[]): readonly string[] {
  return [...providerKeys, ...own].filter((name) => !passed.includes(name));
}
