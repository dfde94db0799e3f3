import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { findBinaries, type ServerUser, serverUser } from "./postgres-binaries.ts";

/** A PostgreSQL server of our own, in a temporary folder. */
export interface PostgresServer {
  /** Of the database `postgres`, as a superuser. */
  readonly url: string;
  readonly port: number;
  /** Stops it, immediately and without a checkpoint if told so, and starts it again. */
  restart(how: "fast" | "immediate"): Promise<void>;
  /** Stops it without a word, as a failing machine would, until `start`. */
  halt(): Promise<void>;
  start(): Promise<void>;
  /** Stops it and removes everything. */
  stop(): Promise<void>;
}

/** Everything is tested with a password that must not show up anywhere. */
export const plantedPassword = "planted-Pa55word-9c1f";

/**
 * Starts a server on a free port of the loopback interface. `durable` flushes every commit to the disk, as a real server does.
 * It also ends, and its folder is removed, when this process ends in any way.
 */
export async function startPostgres({ durable }: { readonly durable: boolean }): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-pg-"));
  chmodSync(folder, 0o755);
  const user = serverUser();
  const bin = findBinaries(user, join(folder, "native"));
  const cluster = createCluster(folder, bin, user);
  const port = await freePort();
  const url = `postgres://holdfast:${plantedPassword}@127.0.0.1:${port}/postgres`;
  let running: Running | null = null;

  async function start(): Promise<void> {
    // The memory of a server that was killed is in use until the last of its processes has noticed.
    for (let attempt = 0; attempt < 20; attempt++) {
      running = launch({ folder, bin, user, cluster, port, durable });
      if (await answers(url, running)) return;
      await running.stop("KILL");
    }
    throw new Error(`PostgreSQL does not start:\n${readFileSync(logOf(folder), "utf8").slice(-2_000)}`);
  }

  async function end(signal: StopSignal): Promise<void> {
    await running?.stop(signal);
    running = null;
  }

  await start();
  return {
    url,
    port,
    async restart(how) {
      await end(how === "fast" ? "INT" : "QUIT");
      await start();
    },
    halt: () => end("KILL"),
    start,
    async stop() {
      await end("INT");
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function createCluster(folder: string, bin: string, user: ServerUser): string {
  const cluster = join(folder, "cluster");
  const passwords = join(folder, "password");
  mkdirSync(cluster, { mode: 0o700 });
  writeFileSync(passwords, plantedPassword, { mode: 0o600 });
  if (user.uid !== undefined && user.gid !== undefined) {
    for (const path of [cluster, passwords, folder]) chownSync(path, user.uid, user.gid);
  }
  const words = ["-D", cluster, "-U", "holdfast", "-A", "scram-sha-256", `--pwfile=${passwords}`];
  const made = spawnSync(join(bin, "initdb"), [...words, "-N", "-E", "UTF8", "--locale=C"], {
    ...user,
    cwd: folder,
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
  return cluster;
}

type StopSignal = "INT" | "QUIT" | "KILL";

interface Running {
  readonly keeper: ChildProcess;
  stop(signal: StopSignal): Promise<void>;
}

interface Launch {
  readonly folder: string;
  readonly bin: string;
  readonly user: ServerUser;
  readonly cluster: string;
  readonly port: number;
  readonly durable: boolean;
}

/** Waits for a signal to send. If its input ends without one, the process that started it is gone. */
const keep = `
"$@" & server=$!
read -r signal
kill -s "\${signal:-INT}" $server
wait $server
test -n "$signal" || rm -rf "$FOLDER"
`;

function launch({ folder, bin, user, cluster, port, durable }: Launch): Running {
  const settings: Readonly<Record<string, string>> = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: folder,
    max_connections: "300",
    fsync: durable ? "on" : "off",
    full_page_writes: durable ? "on" : "off",
  };
  const words = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const log = openSync(logOf(folder), "a");
  const keeper = spawn("/bin/sh", ["-c", keep, "keep", join(bin, "postgres"), "-D", cluster, ...words], {
    ...user,
    cwd: folder,
    // A group of its own, so that Ctrl-C reaches it through the end of its input only.
    detached: true,
    stdio: ["pipe", log, log],
    env: { ...process.env, FOLDER: folder },
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => keeper.once("exit", () => resolve()));
  keeper.stdin?.on("error", () => {});
  keeper.unref();
  return {
    keeper,
    stop(signal) {
      keeper.ref();
      keeper.stdin?.write(`${signal}\n`);
      return ended;
    },
  };
}

function logOf(folder: string): string {
  return join(folder, "log");
}

async function answers(url: string, { keeper }: Running): Promise<boolean> {
  for (let attempt = 0; attempt < 150 && keeper.exitCode === null; attempt++) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return false;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => (typeof address === "object" && address !== null ? resolve(address.port) : reject()));
    });
  });
}
