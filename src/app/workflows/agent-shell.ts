/** Environment variables that are set in an agent's shell. */
const agentVariables = [
  /^CLAUDECODE$/,
  /^CLAUDE_CODE_(ENTRYPOINT|SESSION_ID|SSE_PORT)$/,
  /^CODEX_(SANDBOX|SANDBOX_NETWORK_DISABLED|THREAD_ID|SESSION_ID|INTERNAL_ORIGINATOR_OVERRIDE)$/,
  /^GEMINI_CLI$/,
  /^CURSOR_AGENT$/,
  /^OPENCODE$/,
];

/** The variable that tells that an agent runs this process; undefined if none is set. */
export function agentVariable(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return Object.keys(env).find((name) => env[name] && agentVariables.some((pattern) => pattern.test(name)));
}
