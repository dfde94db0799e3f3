import type { Host } from "../contract/host.ts";
import { codexConfig, userConfig } from "./config.ts";
import { codexHooks, userHooks } from "./settings.ts";

export const codexHost: Host = {
  name: "codex",
  title: "Codex",
  program: "codex",
  folder: ".codex",
  files: [codexHooks, codexConfig],
  forUser: (folder) => [userHooks(`${folder}/hook.cjs`), userConfig(`${folder}/mcp.mjs`)],
  next: "start Codex here, trust the project and its hooks, and say: start the feature workflow",
};
