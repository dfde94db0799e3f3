import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { pluginFiles } from "../../../src/hosts/claude/plugin.ts";
import { version } from "../../../src/project/version.ts";

it.each(Object.entries(pluginFiles(version())))("plugin/%s is what the code says; else: npm run docs", (path, text) => {
  expect(readFileSync(`plugin/${path}`, "utf8")).toBe(text);
});

it("the plugin's hooks call the plugin's own shim and server", () => {
  const { hooks } = JSON.parse(readFileSync("plugin/hooks/hooks.json", "utf8"));
  expect(hooks.SessionStart[0].hooks[0].args).toEqual([
    `\${CLAUDE_PLUGIN_ROOT}/hook.mjs`,
    ...["--host", "claude", "--via", "plugin", "SessionStart"],
  ]);
  expect(hooks.Stop[0].hooks[0]).toMatchObject({ server: "plugin:holdfast:holdfast", input: { via: "plugin" } });
});

it("the marketplace offers the plugin", () => {
  const { plugins } = JSON.parse(readFileSync(".claude-plugin/marketplace.json", "utf8"));
  expect(plugins).toMatchObject([{ name: "holdfast", source: "./plugin" }]);
});
