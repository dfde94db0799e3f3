import { existsSync, lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { contractProblem, hookEvents } from "../../src/hosts/contract/contract.ts";
import { type HostName, hostNames } from "../../src/hosts/contract/names.ts";
import { contracts, projectVariables } from "../../src/hosts/contracts.ts";
import { shims } from "../../src/hosts/shims/shims.ts";
import { program } from "../cli/program.ts";
import { commandCalls, questions } from "./calls.ts";
import type { Fixture } from "./fixture.ts";
import { type Cli, type Ending, openServer, runNode } from "./processes.ts";
import { rawIn, readByModels } from "./raw-text.ts";
import { commitAll, createSandbox, type Sandbox, secret } from "./sandbox.ts";

/** How much is called. */
export interface Extent {
  /** Whose hooks. */
  readonly hosts: readonly HostName[];
  /** Everything, or what a short test has time for. */
  readonly calls: "all" | "few";
}

export interface Result {
  /** Everything that must not happen. */
  readonly wrong: readonly string[];
  /** Whether something has said what is wrong with the repository; true where nothing is. */
  readonly isTold: boolean;
  readonly calls: number;
}

/** Builds the repository, makes every call in it, and tells what the canaries have seen. */
export async function attack(fixture: Fixture, cli: Cli, extent: Extent): Promise<Result> {
  const created = createSandbox();
  const sandbox = { ...created, env: { ...created.env, ...fixture.env?.(created) } };
  fixture.build(created);
  if (!existsSync(join(sandbox.root, ".git"))) commitAll(sandbox);
  fixture.afterwards?.(created);
  const cwd = join(sandbox.root, fixture.cwd ?? "");
  const heard: Heard[] = [];
  const hear: Hear = (what, ending) => {
    heard.push({ what, ...ending });
    return ending;
  };
  const attacked = { cli, cwd, sandbox, hear };
  await Promise.all(extent.hosts.map((host) => callHooks(host, extent, attacked)));
  await callStatusLine(attacked);
  if (extent.calls === "all") await callServer(attacked);
  await callCommands(extent, attacked);
  return {
    wrong: [...heard.flatMap(problemsOf), ...sandbox.harm()],
    isTold: fixture.says === undefined || heard.some(({ output }) => fixture.says?.test(output)),
    calls: heard.length,
  };
}

interface Heard extends Ending {
  readonly what: string;
}

type Hear = (what: string, ending: Ending) => Ending;

interface Attacked {
  readonly cli: Cli;
  readonly cwd: string;
  readonly sandbox: Sandbox;
  readonly hear: Hear;
}

function problemsOf({ what, output, killed, code }: Heard): string[] {
  return [
    ...(killed === null ? [] : [`${what} ${killed}`]),
    ...(killed === null && code === null ? [`${what} crashed: ${output.slice(-500)}`] : []),
    ...(output.includes(secret) ? [`${what} shows the secret: ${excerpt(output, secret)}`] : []),
    ...(output.includes("unexpected error") ? [`${what} has met a bug: ${excerpt(output, "unexpected")}`] : []),
    ...(what === exported ? [] : rawIn(drawn(what, output)).map((raw) => `${what} prints ${raw}`)),
    ...(isForModels(what) ? readByModels(output).flatMap(rawIn) : []).map((raw) => `${what} has a model read ${raw}`),
  ];
}

/** Prints the very bytes of a run, for `holdfast import`. */
const exported = "holdfast export";

const atTerminal = ", at a terminal";

/** A list to choose from moves the cursor, which is ours. */
function drawn(what: string, output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes begin with one.
  return what.endsWith(atTerminal) ? output.replace(/\x1b\[(?:\d*[A-DGJK]|\?25[lh])/g, "") : output;
}

function isForModels(what: string): boolean {
  return !what.startsWith("holdfast ");
}

function excerpt(output: string, around: string): string {
  const at = Math.max(0, output.indexOf(around));
  return output.slice(Math.max(0, at - 120), at + 400);
}

/** As the host calls them; the program is ours, as after an installation for all projects. */
async function callHooks(host: HostName, extent: Extent, attacked: Attacked): Promise<void> {
  const events = extent.calls === "all" ? hookEvents : (["SessionStart"] as const);
  for (const event of events) await callHook([join(dirname(program), "hook.cjs")], host, event, attacked);
}

async function callHook(
  words: readonly string[],
  host: HostName,
  event: (typeof hookEvents)[number],
  { cwd, sandbox, hear }: Attacked,
): Promise<void> {
  const input = {
    session_id: "s1",
    cwd,
    hook_event_name: event,
    source: "compact",
    trigger: "manual",
    tool_name: "Write",
    tool_input: { file_path: join(cwd, "notes.md") },
  };
  const env = { ...sandbox.env, ...projectVariables(host, cwd) };
  const all = [...words, "--host", host, "--via", "project", event];
  const { code, output } = hear(`${host}'s ${event}`, await runNode(all, { cwd, env }, JSON.stringify(input)));
  const problem = contractProblem(contracts[host], event, output);
  const why = code !== 0 ? `it exited with ${code}` : problem;
  if (why !== null) hear(`${host}'s ${event}`, { code: null, output: `${why}: ${output}`, killed: null });
}

async function callStatusLine({ cwd, sandbox: { env }, hear }: Attacked): Promise<void> {
  hear(
    "the status line",
    await runNode([program, "statusline"], { cwd, env }, JSON.stringify({ session_id: "s1", cwd })),
  );
}

async function callServer({ cwd, sandbox: { env }, hear }: Attacked): Promise<void> {
  const server = openServer({ cwd, env });
  const { request } = server;
  await request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  });
  const { tools = [] } = (await request("tools/list")) ?? {};
  for (const { name, inputSchema } of tools)
    await request("tools/call", { name, arguments: argumentsFor(inputSchema) });
  const { resources = [] } = (await request("resources/list")) ?? {};
  await request("resources/templates/list");
  for (const { uri } of resources) await request("resources/read", { uri });
  const { prompts = [] } = (await request("prompts/list")) ?? {};
  for (const { name, arguments: wanted = [] } of prompts) {
    const given = wanted.map((each: { readonly name: string }) => [each.name, "feature"]);
    await request("prompts/get", { name, arguments: Object.fromEntries(given) });
  }
  hear("the server", await server.close());
}

interface InputSchema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

/** Something for every argument that a tool needs. */
function argumentsFor({ properties = {}, required = [] }: InputSchema) {
  const words: Readonly<Record<string, unknown>> = { workflow: "feature", content: "- [ ] one\n", loop_id: "build" };
  return Object.fromEntries(
    required.map((name) => {
      const { type } = Object(properties[name]);
      return [name, words[name] ?? (type === "array" ? [] : "plan")];
    }),
  );
}

function isGenuine(shim: string): boolean {
  return existsSync(shim) && lstatSync(shim).isFile() && readFileSync(shim, "utf8") === shims["hook.cjs"];
}

async function callCommands(extent: Extent, attacked: Attacked): Promise<void> {
  const { cli, cwd, sandbox, hear } = attacked;
  const call = async (words: readonly string[], isTerminal = false) =>
    hear(
      `holdfast ${words.join(" ")}${isTerminal ? atTerminal : ""}`,
      await cli.call({ words, cwd, env: sandbox.env, isTerminal }),
    );
  const all = ["--host", hostNames.join(",")];
  const calls =
    extent.calls === "all" ? commandCalls : [["start", "feature"], ["next"], ["status"], ["doctor"], ["lint"]];
  for (const words of calls) await call(words);
  if (extent.calls === "all") for (const words of questions) await call(words, true);
  await call(["init", ...all, "--dry-run"]);
  await call(["init", ...all, "--yes"]);
  // Again, as a host calls it after the setup. A shim of the repository's own is for the host to refuse.
  const shim = join(sandbox.root, ".holdfast/hook.cjs");
  if (isGenuine(shim)) await callHook([shim], "claude", "SessionStart", attacked);
  await call(["init", ...all, "--remove", "--yes"]);
  await call(["init", "--user", "--host", "claude,codex", "--dry-run"]);
  await call(["start", "feature", "Once more", "--new", "--session", "s1"]);
  await callHook([join(dirname(program), "hook.cjs")], "claude", "SessionStart", attacked);
}
