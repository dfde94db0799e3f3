import type { Host, HostFile } from "../contract/host.ts";
import { ownFile } from "../entries/own-file.ts";
import { serverFile } from "../entries/server-file.ts";
import { commandText, slashCommands } from "../entries/slash-commands.ts";
import { runNearest } from "../shims/find-shim.ts";
import { pluginText } from "./plugin.ts";

/** The word after the script takes the place of the script name in argv. */
const server = { type: "local", command: ["node", "-e", runNearest("mcp"), "mcp"] };

/** opencode reads both names, with comments in either. */
const config: HostFile = {
  ...serverFile({ path: "opencode.json", list: "mcp", server, fresh: { $schema: "https://opencode.ai/config.json" } }),
  otherNames: ["opencode.jsonc"],
};

const commands = Object.entries(slashCommands).map(([name, command]) =>
  ownFile(`.opencode/commands/holdfast-${name}.md`, "commands", commandText(command, "project")),
);

export const opencodeHost: Host = {
  name: "opencode",
  title: "opencode",
  program: "opencode",
  folder: ".opencode",
  homeFolder: ".config/opencode",
  files: [ownFile(".opencode/plugins/holdfast.js", "plugin", pluginText), config, ...commands],
  next: "start opencode here and say: start the feature workflow",
};
