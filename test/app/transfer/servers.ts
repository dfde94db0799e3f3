import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

/** Where Debian installs it; it must be started by its whole path. */
const sshdProgram = "/usr/sbin/sshd";

/** Installs an ssh server on first use, where that is possible; otherwise says why not. */
export function obtainSshd(): string | null {
  if (existsSync(sshdProgram)) return null;
  try {
    execFileSync("apt-get", ["install", "--yes", "--no-install-recommends", "openssh-server", "openssh-client"], {
      stdio: "pipe",
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
    return existsSync(sshdProgram) ? null : `${sshdProgram} is missing after openssh-server was installed`;
  } catch (error) {
    return `openssh-server cannot be installed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

export interface SshServer {
  /** The address of a repository. */
  urlOf(repository: string): string;
  /** A folder for the PATH with an ssh that has this key and knows the server, or not. */
  client(how: { readonly key: boolean; readonly knowsHost: boolean }): string;
}

/** A real sshd on a loopback port, as the current user. It accepts one key, and asks everybody else for a password. */
export async function startSshd(folder: string): Promise<SshServer> {
  mkdirSync(folder, { recursive: true });
  const path = (name: string) => join(folder, name);
  for (const name of ["host", "user", "stranger"]) {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path(name)]);
  }
  const port = await freePort();
  const config = [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${path("host")}`,
    `AuthorizedKeysFile ${path("user.pub")}`,
    "PasswordAuthentication yes",
    "KbdInteractiveAuthentication no",
    "PermitRootLogin yes",
    "StrictModes no",
    "UsePAM no",
    "PidFile none",
  ];
  writeFileSync(path("config"), `${config.join("\n")}\n`);
  if (userInfo().uid === 0) mkdirSync("/run/sshd", { recursive: true });
  const server = spawn(sshdProgram, ["-D", "-e", "-f", path("config")], { stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void server.kill());
  await untilLine(server.stderr, /Server listening on/);
  writeFileSync(path("known"), `[127.0.0.1]:${port} ${readFileSync(path("host.pub"), "utf8")}`);
  return {
    urlOf: (repository) => `ssh://${userInfo().username}@127.0.0.1:${port}${repository}`,
    client({ key, knowsHost }) {
      const bin = path(`bin-${key}-${knowsHost}`);
      mkdirSync(bin);
      const options = [
        "-F none",
        "-o IdentitiesOnly=yes",
        "-o IdentityAgent=none",
        `-i ${path(key ? "user" : "stranger")}`,
        `-o UserKnownHostsFile=${knowsHost ? path("known") : "/dev/null"}`,
      ];
      writeFileSync(join(bin, "ssh"), `#!/bin/sh\nexec /usr/bin/ssh ${options.join(" ")} "$@"\n`, { mode: 0o755 });
      return bin;
    },
  };
}

export interface HttpsServer {
  urlOf(repository: string): string;
  /** The certificate that whoever trusts the server must know. */
  readonly certificate: string;
}

/** Serves the repositories of a folder with git's own program, to whoever has the password. */
export async function startHttps(folder: string, repositories: string, password: string): Promise<HttpsServer> {
  mkdirSync(folder, { recursive: true });
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  const pair = ["-keyout", key, "-out", certificate];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...subject, ...pair], {
    stdio: "pipe",
  });
  const allowed = `Basic ${Buffer.from(`ada:${password}`).toString("base64")}`;
  const server = createHttpsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
    if (request.headers.authorization === allowed) return answerWithGit(repositories, request, response);
    response.writeHead(401, { "WWW-Authenticate": 'Basic realm="git"' }).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { urlOf: (repository) => `https://127.0.0.1:${port}/${repository}`, certificate };
}

/** As a web server calls a CGI program. */
function answerWithGit(repositories: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? "/", "https://127.0.0.1");
  const header = (name: string) => String(request.headers[name] ?? "");
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: repositories,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_NOSYSTEM: "1",
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: header("content-type"),
      HTTP_CONTENT_ENCODING: header("content-encoding"),
      GIT_PROTOCOL: header("git-protocol"),
      REMOTE_USER: "ada",
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.on("error", () => {});
  request.pipe(child.stdin);
  const parts: Buffer[] = [];
  child.stdout.on("data", (part: Buffer) => parts.push(part));
  child.once("close", () => {
    const whole = Buffer.concat(parts);
    const end = whole.indexOf("\r\n\r\n");
    const fields = whole
      .subarray(0, end)
      .toString()
      .split("\r\n")
      .map((line) => line.split(/: (.*)/s));
    const status = fields.find(([name]) => name === "Status")?.[1] ?? "200";
    const headers = fields.flatMap(([name = "", value = ""]) => (name === "Status" ? [] : [name, value]));
    response.writeHead(Number.parseInt(status, 10), headers).end(whole.subarray(end + 4));
  });
}

async function untilLine(stream: NodeJS.ReadableStream, wanted: RegExp): Promise<void> {
  const seen: string[] = [];
  for await (const line of createInterface({ input: stream })) {
    seen.push(line);
    if (wanted.test(line)) return;
  }
  throw new Error(`the server has ended: ${seen.join("\n")}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Puts a folder before all others on the PATH. */
export function before(folder: string): Readonly<Record<string, string>> {
  return { PATH: `${folder}:${process.env.PATH ?? ""}` };
}

/** The folder of the machines, for what servers keep. */
export function besides(remote: string, name: string): string {
  return join(dirname(remote), name);
}
