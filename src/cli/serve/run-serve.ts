import "../../operation/quick-schemas.ts";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { compose } from "../../app/compose.ts";
import { agentBehind, personOf } from "../../app/workflows/person.ts";
import type { Actor } from "../../model/command.ts";
import { quote } from "../../model/quote.ts";
import type { Deps } from "../../operation/operation.ts";
import { hasCode } from "../../platform/files.ts";
import { stateFolder } from "../../platform/links.ts";
import { systemProblem } from "../../platform/system-problem.ts";
import { rememberProject } from "../../project/known-projects.ts";
import { type RunningServer, startServer } from "../../serve/server.ts";
import { callerOf } from "../command/caller-of.ts";
import { flagOption, type ParsedArguments, textOption } from "../command/command.ts";
import { exitCodes } from "../terminal/exit-codes.ts";
import type { Io } from "../terminal/io.ts";
import type { Paint } from "../terminal/paint.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { openBrowser } from "./open-browser.ts";
import { printServing } from "./print-serving.ts";

const usualPort = 4187;

/** `holdfast serve`: answers until it is stopped. */
export async function runServe(parsed: ParsedArguments, io: Io, paint: Paint): Promise<number> {
  const json = flagOption(parsed, "json") === true;
  const asked = askedIn(parsed);
  io.outliveHangup();
  const deps = compose(io.cwd, callerOf(parsed, io, json));
  const { person, why } = await whoStarts(deps, io, json);
  if (isProject(deps)) rememberProject(deps.user, deps.roots.stateRoot);
  const report = (error: unknown) => {
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const log = io.keepTrace(trace);
    io.err(`unexpected error in the server${log === null ? `: ${trace}` : `; see ${log}`}\n`);
  };
  let closePage = () => {};
  const server = await start({ ...asked, env: io.env, person, report, linkUsed: () => closePage() });
  const { url, port } = server;
  const level = person === null ? "read" : "person";
  const link = server.makeLink();
  if (json) io.out(`${JSON.stringify({ url, port, level, link })}\n`);
  else io.out(printServing({ url, level, why, link, projects: server.projects }, paint));
  if (asked.isOpening) closePage = openBrowser(link, io);
  const stopListening = person === null ? () => {} : io.listen(() => io.out(`${paint.strong(server.makeLink())}\n`));
  if (!io.signal.aborted) await once(io.signal, "abort");
  stopListening();
  closePage();
  await server.close();
  if (!json) io.out("stopped.\n");
  return exitCodes.done;
}

interface Asked {
  readonly port: number;
  readonly host: string;
  readonly proxy: string | null;
  readonly isOpening: boolean;
}

function askedIn(parsed: ParsedArguments): Asked {
  const text = textOption(parsed, "port") ?? String(usualPort);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535) throw new UsageError(`--port: ${quote(text)} is not a number from 0 to 65535`);
  const host = textOption(parsed, "host");
  const proxy = proxyIn(parsed);
  if (host !== undefined && isIP(host) === 0) throw new UsageError(`--host: ${quote(host)} is not an IP address`);
  if (host !== undefined && proxy === null && !isLoopback(host)) {
    throw new UsageError(
      "--host needs a proxy with TLS in front: over plain HTTP everybody on the way reads the cookies",
      "name its address: --behind-proxy https://holdfast.example.org; or leave --host out",
    );
  }
  return { port, host: host ?? "127.0.0.1", proxy, isOpening: flagOption(parsed, "open") === true };
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^127\.\d+\.\d+\.\d+$/.test(address);
}

function proxyIn(parsed: ParsedArguments): string | null {
  const text = textOption(parsed, "behind-proxy");
  if (text === undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === "https:" && `${url.origin}/` === url.href) return url.origin;
  throw new UsageError(
    `--behind-proxy: ${quote(text)} is not an https address without a path`,
    "such as --behind-proxy https://holdfast.example.org",
  );
}

/** A person counts only at a terminal of their own: that is where the links go. */
async function whoStarts(
  deps: Deps,
  io: Io,
  json: boolean,
): Promise<{ readonly person: Actor | null; readonly why: string | null }> {
  const agent = agentBehind(deps.caller);
  if (agent !== undefined) return { person: null, why: agent };
  if (!io.isTerminal || json) return { person: null, why: "this is not a terminal" };
  const person = await personOf(deps, "acting on the dashboard");
  if (!person.ok) return { person: null, why: "the secret file does not contain this user's secret" };
  return { person: person.value, why: null };
}

async function start(options: Parameters<typeof startServer>[0]): Promise<RunningServer> {
  try {
    return await startServer(options);
  } catch (error) {
    const { port, host } = options;
    if (hasCode(error, "EADDRINUSE")) {
      const next = `holdfast serve --port ${port === 65_535 ? port - 1 : port + 1}`;
      throw new UsageError(`port ${port} is in use: another server runs there`, next);
    }
    if (hasCode(error, "EACCES")) {
      throw new UsageError(`you may not use port ${port}`, `holdfast serve --port ${usualPort}`);
    }
    if (hasCode(error, "EADDRNOTAVAIL")) throw new UsageError(`this machine does not have the address ${host}`);
    if (systemProblem(error) !== null) throw new UsageError(`cannot serve on ${host}:${port}: ${systemProblem(error)}`);
    throw error;
  }
}

/** Whoever starts the server in a folder without Holdfast wants to see their other projects. */
function isProject(deps: Deps): boolean {
  return [stateFolder, ".git"].some((name) => existsSync(join(deps.roots.stateRoot, name)));
}
