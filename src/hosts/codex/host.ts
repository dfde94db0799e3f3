import type { Host } from "../contract/host.ts";
import { codexConfig } from "./config.ts";
import { codexHooks } from "./settings.ts";

export const codexHost: Host = {
  name: "codex",
  title: "Codex",
  program: "codex",
  folder: ".codex",
  files: [codexHooks, codexConfig],
  next: "start Codex here, trust the project and its hooks, and say: start the feature workflow",
};
