import { defineCommand, textOption } from "../command/command.ts";
import { printCreatedToken, printRevokedToken, printTokens } from "../print/print-tokens.ts";

export const tokenCreate = defineCommand({
  name: "token create",
  area: "Set up and maintain",
  operation: "token-create",
  positionals: [],
  options: {
    name: { type: "string", value: "NAME", about: "what to call it (required)" },
    level: {
      type: "string",
      value: "LEVEL",
      values: ["read", "agent"],
      about: "read, or agent for the MCP tools (required)",
    },
  },
  about: "Create a token for the API and MCP of holdfast serve. It is shown once. Agents cannot do this.",
  examples: ["holdfast token create --name grafana --level read"],
  input: async (parsed) => ({ name: textOption(parsed, "name"), level: textOption(parsed, "level") }),
  print: printCreatedToken,
});

export const tokenList = defineCommand({
  name: "token list",
  area: "Set up and maintain",
  operation: "token-list",
  positionals: [],
  options: {},
  about: "List the tokens for holdfast serve by name.",
  examples: ["holdfast token list"],
  input: async () => ({}),
  print: printTokens,
});

export const tokenRevoke = defineCommand({
  name: "token revoke",
  area: "Set up and maintain",
  operation: "token-revoke",
  positionals: ["<name>"],
  options: {},
  about: "Revoke a token for holdfast serve. It counts for nothing from now on, also in a server that runs.",
  examples: ["holdfast token revoke grafana"],
  input: async (parsed) => ({ name: parsed.positionals[0] }),
  print: printRevokedToken,
});
