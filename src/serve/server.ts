import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { findToken } from "../app/access/token-files.ts";
import type { Actor } from "../model/command.ts";
import type { Caller } from "../operation/operation.ts";
import { findUser } from "../project/find-user.ts";
import { installation, version } from "../project/version.ts";
import { createCookies } from "./access/cookies.ts";
import { createLinks } from "./access/links.ts";
import { serveKey } from "./access/serve-key.ts";
import { nobodyIn } from "./api/call.ts";
import { createMetrics } from "./api/metrics.ts";
import { createProjects } from "./api/projects.ts";
import { createApp } from "./app.ts";
import type { ProjectRow } from "./contract/contract.ts";
import { addressOf } from "./http/origins.ts";
import { createPage } from "./http/page.ts";
import { createLive } from "./live/live.ts";
import type { Serving } from "./serving.ts";

export interface ServerOptions {
  readonly env: Caller["env"];
  /** 0 for any free port. */
  readonly port: number;
  readonly host: string;
  /** The address of a proxy in front; null without one. */
  readonly proxy: string | null;
  /** The person at the terminal; null if there is none, and the server only reads. */
  readonly person: Actor | null;
  report(error: unknown): void;
  /** Told when a browser has opened a link. */
  linkUsed?(): void;
  /** Where the built page is; by default in this installation. */
  readonly pageFolder?: string;
  /** The time in milliseconds. */
  now?(): number;
}

export interface RunningServer {
  readonly port: number;
  /** Where it is reached, without a slash at the end. */
  readonly url: string;
  readonly projects: readonly ProjectRow[];
  /** An address that works once, for two minutes. It gives as much as the server may. */
  makeLink(): string;
  close(): Promise<void>;
}

/** Throws the system's error if the port is taken. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const server = createServer({ ...limits, connectionsCheckingInterval: 5_000 });
  server.maxConnections = mostConnections;
  server.timeout = idleMs;
  server.keepAliveTimeout = 5_000;
  await listen(server, options);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  const serving = createServing(options, port);
  const answer = createApp(serving);
  server.on("request", getRequestListener(answer, { overrideGlobalObjects: false }));
  const url = addressOf(serving.origins);
  return {
    port,
    url,
    projects: serving.projects.list(),
    makeLink: () => `${url}/open/${serving.links.make(options.person === null ? "read" : "person")}`,
    async close() {
      const ending = serving.live.close().then(() => serving.projects.close());
      await close(server);
      await atMost(goodbyeMs, ending);
    },
  };
}

/** A page has few connections; more than this is a mistake or an attack. */
const mostConnections = 512;
/** Ends connections on which nothing moves; live streams have a heartbeat. */
const idleMs = 120_000;
const limits = { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 30_000 } as const;

function createServing(options: ServerOptions, port: number): Serving {
  const { env, host, proxy, person, report, now = Date.now } = options;
  const user = findUser(env);
  const projects = createProjects(user, nobodyIn(env));
  return {
    version: version(),
    origins: { port, host, proxy },
    access: {
      cookies: createCookies({ port, isSecure: proxy !== null, key: serveKey(user.configFolder), now }),
      userName: person?.by ?? user.name,
      newLink:
        person === null
          ? "start `holdfast serve` again, and open the link that it prints"
          : "press Enter in the terminal where `holdfast serve` runs, and open the new link",
      findToken: (token) => findToken(user, token),
    },
    // A link must not live longer because the clock was set back.
    links: createLinks(options.now ?? (() => performance.now()), options.linkUsed),
    projects,
    page: createPage(options.pageFolder ?? join(installation, "dist/page")),
    metrics: createMetrics(),
    live: createLive({ projects, report }),
    person,
    report,
  };
}

function listen(server: Server, { port, host }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** A database that does not answer keeps nobody from stopping the server. */
const goodbyeMs = 2_000;

async function atMost(milliseconds: number, ending: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([ending, late]);
  clearTimeout(timer);
}

/** Streams would stay open for ever, so nothing is waited for. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
