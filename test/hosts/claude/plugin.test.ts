import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { pluginFiles } from "../../../src/hosts/claude/plugin.ts";
import { version } from "../../../src/project/version.ts";

it.each(Object.entries(pluginFiles(version())))("plugin/%s is what the code says; else: npm run docs", (path, text) => {
  expect(readFileSync(`plugin/${path}`, "utf8")).toBe(text);
});

it("the plugin's hooks call the plugin's own shim", () => {
  const { hooks } = JSON.parse(readFileSync("plugin/hooks/hooks.json", "utf8"));
  for (const [event, groups] of Object.entries(hooks)) {
    const words = ["--host", "claude", "--via", "plugin", event];
    const entry = { type: "command", command: "node", args: [`\${CLAUDE_PLUGIN_ROOT}/hook.cjs`, ...words] };
    expect(groups).toMatchObject([{ hooks: [entry] }]);
  }
});

it("the marketplace offers the plugin", () => {
  const { plugins } = JSON.parse(readFileSync(".claude-plugin/marketplace.json", "utf8"));
  expect(plugins).toMatchObject([{ name: "holdfast", source: "./plugin" }]);
});
