import { existsSync } from "node:fs";
import { join } from "node:path";
import { readTextIfExists } from "../../platform/files.ts";
import { sizeLimits } from "../../platform/size-limits.ts";
import { type Finding, mend, well } from "../contract/finding.ts";
import { callOf, type HookCall } from "../contract/hook-call.ts";
import type { HostPlugin } from "../contract/host.ts";
import { isPluginOn, pluginFolder } from "./find-plugin.ts";
import { claudeHooks } from "./settings.ts";

const name = "plugin";

export const claudePlugin: HostPlugin = {
  isOn: isPluginOn,
  list: ".claude/plugins/installed_plugins.json",
  folderIn: pluginFolder,
  diagnose: diagnosePlugin,
  calls: pluginCalls,
};

/** Checks that the plugin that Claude Code loads has this version. */
function diagnosePlugin(root: string | null, version: string): Finding[] {
  const file = root === null ? null : join(root, ".claude-plugin/plugin.json");
  if (file === null || !existsSync(file)) {
    return [mend(name, "it is enabled but not installed", "install or disable it with /plugin")];
  }
  const has = /"version":\s*"([^"]+)"/.exec(readTextIfExists(file, sizeLimits.hostFile) ?? "")?.[1] ?? "unknown";
  if (has === version) return [well(name, `version ${has}`)];
  return [
    mend(name, `it has version ${has}, but this is ${version}`, "update the plugin with /plugin, or Holdfast with npm"),
  ];
}

/** The hooks of the plugin that can be run. */
function pluginCalls(root: string): HookCall[] {
  const groups = claudeHooks({ via: "plugin", folder: root });
  return Object.entries(groups).map(([event, { hooks }]) => callOf(event, hooks[0], {}));
}
