import { filledIn } from "../contract/hook-call.ts";
import { commandText, slashCommands } from "../entries/slash-commands.ts";
import { shimVariable } from "../shims/find-shim.ts";
import { shims } from "../shims/shims.ts";
import { claudeServer } from "./servers.ts";
import { claudeHooks } from "./settings.ts";

const root = filledIn("CLAUDE_PLUGIN_ROOT");

/** The generated files of the plugin, by path; `npm run docs` writes them. */
export function pluginFiles(version: string): Readonly<Record<string, string>> {
  const manifest = {
    name: "holdfast",
    version,
    description: "Keeps the agent on its workflow, whatever happens to its context",
    author: { name: "The Holdfast authors" },
    license: "MIT",
    keywords: ["workflow", "context", "compaction"],
  };
  const groups = claudeHooks({ via: "plugin", folder: root });
  const hooks = Object.fromEntries(Object.entries(groups).map(([event, group]) => [event, [group]]));
  const servers = { holdfast: { ...claudeServer, env: { [shimVariable]: `${root}/mcp.mjs` } } };
  const commands = Object.fromEntries(
    Object.entries(slashCommands).map(([name, command]) => [`commands/${name}.md`, commandText(command, "plugin")]),
  );
  return {
    ".claude-plugin/plugin.json": json(manifest),
    "hooks/hooks.json": json({ hooks }),
    ".mcp.json": json({ mcpServers: servers }),
    ...commands,
    "hook.cjs": shims["hook.cjs"],
    "mcp.mjs": shims["mcp.mjs"],
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
