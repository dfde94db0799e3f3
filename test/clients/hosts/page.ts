import { hosts } from "../../../src/hosts/hosts.ts";
import { type CheckName, checks } from "./checks.ts";
import type { HostDriver } from "./driver.ts";

/** The documentation of the hosts: what the checks saw, and what each host has no way to do. */
export function hostsPage(drivers: readonly HostDriver[]): string {
  const reasons = [...new Set(drivers.flatMap(({ lacks }) => Object.values(lacks)))];
  const cell = ({ lacks }: HostDriver, name: CheckName) => {
    const reason = lacks[name];
    return reason === undefined ? "yes" : `– (${reasons.indexOf(reason) + 1})`;
  };
  return [
    opening,
    row(["", ...drivers.map(({ host, version }) => `${hosts[host].title} ${version}`)]),
    row(["---", ...drivers.map(() => "---")]),
    ...checks.map(({ name, title }) => row([title, ...drivers.map((driver) => cell(driver, name))])),
    "",
    ...reasons.map((reason, index) => `${index + 1}. ${reason}`),
    "",
    "## What `holdfast init` writes",
    "",
    row(["host", "files", "then"]),
    row(["---", "---", "---"]),
    ...Object.values(hosts).map(({ name, title, files, next }) =>
      row([`${title} (\`--host ${name}\`)`, files.map(({ path }) => `\`${path}\``).join(", "), next]),
    ),
    "",
    closing,
  ].join("\n");
}

const opening = `# Hosts

This page shows what works with which version of each agent program. The real programs were driven by a scripted model
(\`test/clients/hosts\`); the tests that saw it make this page, and fail when it no longer holds. "Every fact" is the id of
the run, its place, what is done, the instructions, the required reading, the reminders and the variables.
`;

const closing = `The shims \`hook.cjs\`, \`hook.mjs\` and \`mcp.mjs\` in \`.holdfast/\`, which these files start, are the same for all hosts. Any other MCP
client works without hooks: start \`holdfast mcp\` as its server. Its agent then learns its place from \`workflow_status\`, which the
server's instructions tell it to call first.

## When Codex begins without the tools

Codex waits one second for MCP servers, and offers the tools of those that took longer only in a later turn; \`codex exec\` has only one.
On a slow or busy machine Holdfast can be among them. The hooks tell the agent where it is all the same, and the commands
\`holdfast next\` and \`holdfast advance\` work without the server. To make Codex wait, put \`mcp_optional_startup_grace_ms = 0\` at the top
of \`~/.codex/config.toml\`. \`holdfast init\` does not write it, because it holds for all of your servers.
`;

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
