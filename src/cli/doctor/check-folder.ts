import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { type Finding, mend, well } from "../../hosts/contract/finding.ts";
import type { Host } from "../../hosts/contract/host.ts";
import type { Diagnosis, Surroundings } from "../../hosts/diagnose/diagnose.ts";
import type { Io } from "../terminal/io.ts";
import { checkShim } from "./check-shim.ts";

/** What to know about a host that runs the hooks of a project only at its root: tried in a subfolder, told at the root. */
export async function checkFolder(
  host: Host,
  { inProject, shim }: Diagnosis,
  around: Surroundings & { readonly hasUserHooks: boolean },
  io: Io,
): Promise<Finding[]> {
  if (host.serverBelow === undefined || !inProject || shim === null) return [];
  const isRoot = io.cwd === around.project;
  const where = isRoot ? "subfolders" : "this folder";
  const hooks: Finding = around.hasUserHooks
    ? well(where, `${isRoot ? "there" : "here"}, ${host.title} runs your own hooks`)
    : {
        name: where,
        status: "note",
        message: `${host.title} runs a project's hooks only at its root; the server tells of a live run`,
        next: "to have hooks in every folder: holdfast init --user",
      };
  return isRoot ? [hooks] : [...(await checkServer(host.serverBelow, around, io)), hooks];
}

/** Starts the server only if that starts this installation: the folders below may have a server of their own. */
async function checkServer(
  server: NonNullable<Host["serverBelow"]>,
  around: Surroundings,
  io: Io,
): Promise<readonly Finding[]> {
  for (let folder = io.cwd; folder !== around.project && dirname(folder) !== folder; folder = dirname(folder)) {
    const other = join(folder, ".holdfast/mcp.mjs");
    if (existsSync(other)) return [{ name: "server", status: "note", message: `not tried, because there is ${other}` }];
  }
  const { findings, isThis } = await checkShim(join(around.project, ".holdfast/mcp.mjs"), around, io);
  return isThis ? [await tryServer(server, io)] : findings;
}

/** Starts the server as the host would in this folder, and greets it. */
async function tryServer({ command, args }: NonNullable<Host["serverBelow"]>, io: Io): Promise<Finding> {
  const child = spawn(command, args, { cwd: io.cwd, env: { ...io.env }, timeout: timeoutMs, killSignal: "SIGKILL" });
  child.stderr.resume();
  child.stdin.on("error", () => {});
  child.stdin.write(`${JSON.stringify(greeting)}\n`);
  const line = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("error", () => resolve(""));
    child.once("close", () => resolve(""));
  });
  child.stdin.end();
  return line.includes('"serverInfo"')
    ? well("server", "it starts from this folder")
    : mend("server", "it does not start from this folder", "holdfast init");
}

const timeoutMs = 10_000;

const greeting = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "holdfast-doctor", version: "1" } },
};
