import { shims } from "../shims/shims.ts";
import { claudeHooks, filledIn } from "./settings.ts";

const root = filledIn("CLAUDE_PLUGIN_ROOT");

/** The files of the plugin that follow from the code, by their paths in its folder; `npm run docs` writes them. */
export function pluginFiles(version: string): Readonly<Record<string, string>> {
  const manifest = {
    name: "holdfast",
    version,
    description: "Keeps the agent on its workflow, whatever happens to its context",
    author: { name: "The Holdfast authors" },
    license: "MIT",
    keywords: ["workflow", "context", "compaction"],
  };
  // A plugin's server has the plugin's name in front, and its own hooks must call it so, too.
  const groups = claudeHooks({ via: "plugin", folder: root, server: "plugin:holdfast:holdfast" });
  const hooks = Object.fromEntries(Object.entries(groups).map(([event, group]) => [event, [group]]));
  const servers = { holdfast: { command: "node", args: [`${root}/mcp.mjs`] } };
  return {
    ".claude-plugin/plugin.json": json(manifest),
    "hooks/hooks.json": json({ hooks }),
    ".mcp.json": json({ mcpServers: servers }),
    ...shims,
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
