import { describe, expect, it } from "vitest";
import { claudeServer, claudeServers } from "../../../src/hosts/claude/servers.ts";
import { codexConfig } from "../../../src/hosts/codex/config.ts";
import type { HostFile } from "../../../src/hosts/contract/host.ts";

function put(file: HostFile, text: string | null): string {
  const edited = file.putIn(text);
  if (!edited.ok) throw new Error(edited.problem.problem);
  return edited.text;
}

function take(file: HostFile, text: string, original: string | null): string | null {
  const edited = file.takeOut(text, original);
  if (!edited.ok) throw new Error(edited.problem.problem);
  return edited.text;
}

const entry = claudeServer;

describe(".mcp.json", () => {
  it("gets the server, beside those of others", () => {
    expect(JSON.parse(put(claudeServers, null))).toEqual({ mcpServers: { holdfast: entry } });
    const text = '{"mcpServers":{"db":{"command":"db"}}}';
    expect(put(claudeServers, text)).toBe(`{"mcpServers":{"db":{"command":"db"},"holdfast":${JSON.stringify(entry)}}}`);
  });

  it.each([
    '{"mcpServers":{"db":{"command":"db"}}}',
    "{}",
    '{\n\t"mcpServers": {}\n}',
    '{\r\n  "mcpServers": {\r\n    "db": { "command": "db" } // mine\r\n  }\r\n}\r\n',
  ])("gives back %j", (text) => {
    const installed = put(claudeServers, text);
    expect(put(claudeServers, installed)).toBe(installed);
    expect(take(claudeServers, installed, text)).toBe(text);
  });

  it("goes when nothing but ours was in it", () => {
    expect(take(claudeServers, put(claudeServers, null), null)).toBeNull();
  });

  it("has an older entry of ours brought up to date, with what was added to it", () => {
    const text = '{ "mcpServers": { "holdfast": { "command": "holdfast", "args": ["mcp"], "env": { "A": "1" } } } }';
    const installed = put(claudeServers, text);
    expect(JSON.parse(installed)).toEqual({ mcpServers: { holdfast: { ...entry, env: { A: "1" } } } });
    expect(JSON.parse(take(claudeServers, `${installed}\n`, text) ?? "")).toEqual(JSON.parse(text));
  });

  it("loses an entry of an earlier version that runs our shim, also where nobody kept what was there before", () => {
    const old =
      '{ "mcpServers": { "db": { "command": "db" }, "holdfast": { "command": "node", "args": [".holdfast/mcp.mjs"] } } }';
    expect(JSON.parse(take(claudeServers, put(claudeServers, old), old) ?? "")).toEqual({
      mcpServers: { db: { command: "db" } },
    });
    const toml = '[mcp_servers.holdfast]\ncommand = "node"\nargs = [".holdfast/mcp.mjs"]\n';
    expect(take(codexConfig, put(codexConfig, toml), toml)?.trim()).toBe("");
  });

  it("keeps an entry of our name that someone made otherwise, and says so", () => {
    const text = '{ "mcpServers": { "holdfast": { "type": "http", "url": "http://localhost:1" } } }';
    const note = '.mcp.json already has another server named "holdfast"; it was not changed';
    expect(claudeServers.putIn(text)).toEqual({ ok: true, text, note });
    expect(claudeServers.takeOut(text, null)).toEqual({ ok: true, text });
  });

  it("that is broken is left alone, and the place is named", () => {
    expect(claudeServers.putIn('{\n  "mcpServers": 7\n}')).toEqual({
      ok: false,
      problem: { line: 2, column: 17, problem: '"mcpServers" is not an object' },
    });
  });
});

const block = `[mcp_servers.holdfast]
command = "node"
args = [ "-e", "let d=process.cwd(),f;while(!fs.existsSync(f=d+'/.holdfast/mcp.mjs')&&d!=(d=path.dirname(d)));import(url.pathToFileURL(f)).catch(()=>0)", "mcp" ]
`;

describe(".codex/config.toml", () => {
  it("gets the server at its end", () => {
    expect(put(codexConfig, null)).toBe(block);
    expect(put(codexConfig, 'model = "o" # mine\n')).toBe(`model = "o" # mine\n\n${block}`);
    expect(put(codexConfig, 'model = "o"')).toBe(`model = "o"\n\n${block}`);
    expect(put(codexConfig, "a = 1\r\n")).toBe(`a = 1\r\n\r\n${block.replaceAll("\n", "\r\n")}`);
  });

  it.each([
    'model = "o" # mine\n',
    "# only a word\n",
    "a = 1\r\n",
    'a = 1\n[mcp_servers.db]\ncommand = "db"\n',
    "when = 2026-01-31T12:00:00Z\n[[list]]\nx = 1\n\n\n",
  ])("gives back %j", (text) => {
    const installed = put(codexConfig, text);
    expect(put(codexConfig, installed)).toBe(installed);
    expect(take(codexConfig, installed, text)).toBe(text);
  });

  it("goes when nothing but ours was in it", () => {
    expect(take(codexConfig, block, null)).toBeNull();
  });

  it("loses only ours after someone has written on", () => {
    const edited = `${put(codexConfig, "a = 1\n")}\n# mine\n[mcp_servers.db]\ncommand = "db"\n`;
    expect(take(codexConfig, edited, "a = 1\n")).toBe('a = 1\n\n# mine\n[mcp_servers.db]\ncommand = "db"\n');
  });

  it("has an older entry of ours brought up to date, with what was added to it", () => {
    const text =
      'a = 1\n[ mcp_servers . "holdfast" ]\ncommand = "holdfast"\nargs = [\n  "mcp",\n]\nstartup_timeout_sec = 20\n\n[other]\nb = 2\n';
    const installed = put(codexConfig, text);
    expect(installed).toBe(
      `a = 1\n${block}startup_timeout_sec = 20\n\n[other]\nb = 2\n`.replace(block, `${block.trimEnd()}\n`),
    );
    expect(put(codexConfig, installed)).toBe(installed);
  });

  it.each([
    'mcp_servers = { holdfast = { url = "http://localhost:1" } }\n',
    'mcp_servers.holdfast.command = "my-holdfast"\nmcp_servers.holdfast.args = []\n',
    '[mcp_servers]\nholdfast = { command = "x", args = ["y"] }\n',
  ])("keeps an entry of our name in any spelling: %j", (text) => {
    const note = '.codex/config.toml already has another server named "holdfast"; it was not changed';
    expect(codexConfig.putIn(text)).toEqual({ ok: true, text, note });
    expect(codexConfig.takeOut(text, null)).toEqual({ ok: true, text });
  });

  it("that cannot take a table is left alone, and says what to write", () => {
    const edited = codexConfig.putIn('a = 1\nmcp_servers = { db = { command = "db" } }\n');
    expect(edited).toEqual({
      ok: false,
      problem: { line: 2, column: 1, problem: expect.stringContaining("add by hand: [mcp_servers.holdfast]") },
    });
  });

  it("that is broken is left alone, and the place is named", () => {
    expect(codexConfig.putIn('a = 1\nb = "x\n')).toMatchObject({ ok: false, problem: { line: 2 } });
  });
});
