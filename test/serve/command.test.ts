import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import type { Me } from "../../src/serve/contract/contract.ts";
import { createProject, ended, type Project, program } from "../cli/program.ts";
import { recordedIo } from "../cli/recorded-io.ts";
import { approvedPlan, browserFrom } from "./serving.ts";

const recorder = "script";
const hasScript =
  process.platform === "linux" && String(spawnSync(recorder, ["--version"]).stdout).includes("util-linux");

interface Place {
  readonly isTerminal: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** `holdfast serve` in this process, at a terminal or not, until it has printed a link. */
async function serve(project: Project, at: Place, words: readonly string[] = []) {
  const stop = new AbortController();
  let press = () => {};
  let heard = () => {};
  const { io, said } = recordedIo({
    cwd: project.root,
    env: { ...project.env, ...at.env },
    isTerminal: at.isTerminal,
    signal: stop.signal,
    listen(line) {
      press = line;
      return () => {};
    },
  });
  const out = io.out.bind(io);
  const printed = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const code = runCli(["serve", "--port", "0", ...words], {
    ...io,
    out(text) {
      out(text);
      if (text.includes("/open/")) heard();
    },
  });
  await Promise.race([printed, code]);
  return {
    said,
    link: () => /http:\S+\/open\/\S+/.exec(said.out)?.[0] ?? "",
    press: () => press(),
    async stop() {
      stop.abort();
      return code;
    },
  };
}

async function levelBehind(link: string): Promise<string> {
  const opened = await fetch(link);
  const headers = browserFrom({
    headers: { "set-cookie": opened.headers.getSetCookie() },
    text: await opened.text(),
  });
  const me = (await (await fetch(new URL("/api/me", link), { headers })).json()) as Me;
  return me.level;
}

it("a person at a terminal gets a link that acts as a person, and a new one with Enter", async () => {
  const served = await serve(createProject(), { isTerminal: true });
  expect(await levelBehind(served.link())).toBe("person");
  const links = () => served.said.out.match(/\/open\/\S+/g) ?? [];
  served.press();
  expect(new Set(links()).size).toBe(2);
  expect(await served.stop()).toBe(0);
});

const addresses = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));

it.each([
  ["127.0.0.2", "http://127.0.0.2:", process.platform === "linux"],
  ["::1", "http://[::1]:", addresses.includes("::1")],
])("--host %s is what the link names, and it works there", async (host, origin, isThere) => {
  if (!isThere) return;
  const served = await serve(createProject(), { isTerminal: true }, ["--host", host]);
  expect(served.link()).toContain(origin);
  expect(await levelBehind(served.link())).toBe("person");
  await served.stop();
});

it.each([
  ["below an agent", { isTerminal: true, env: { CLAUDECODE: "1" } }, "CLAUDECODE is set"],
  ["below a runner", { isTerminal: true, env: { HOLDFAST_AGENT: "1" } }, "HOLDFAST_AGENT is set"],
  ["without a terminal", { isTerminal: false }, "this is not a terminal"],
])("a server started %s only reads, and says why", async (_where, at, why) => {
  const served = await serve(createProject(), at);
  expect(served.said.out).toContain(why);
  expect(served.said.out).toContain("Read-only");
  expect(await levelBehind(served.link())).toBe("read");
  expect(await served.stop()).toBe(0);
});

it.runIf(hasScript).each([
  ["a terminal of its own", (line: string) => `script -qec "${line}" /dev/null`],
  [
    "a cleared environment",
    (line: string) => `env -i HOME=$HOME PATH=$PATH SHELL=/bin/sh script -qec "${line}" /dev/null`,
  ],
])("a server that an agent starts in %s only reads", async (_, inTerminal) => {
  const project = createProject();
  const agent = join(project.home, "claude");
  symlinkSync("/bin/sh", agent);
  const line = `${inTerminal(`${process.execPath} ${program} serve --port 0 --no-color`)}; exit $?`;
  const child = spawn(agent, ["-c", line], {
    cwd: project.root,
    env: { ...project.env, SHELL: "/bin/sh" },
    detached: true,
  });
  onTestFinished(() => void process.kill(-(child.pid ?? 0), "SIGKILL"));
  let shown = "";
  for await (const chunk of child.stdout) {
    shown += chunk;
    if (shown.includes("Stop")) break;
  }
  expect(shown.replace(/\s+/g, " ")).toMatch(
    /Read-only an agent has started this: "claude" \(process \d+\) is above it/,
  );
  expect(await levelBehind(/http:\S+\/open\/[\w-]+/.exec(shown)?.[0] ?? "")).toBe("read");
});

it("a configuration folder that cannot be written is no obstacle: pages then last as long as the server", async () => {
  const project = createProject();
  project.write(".holdfast/workflows/plan.yaml", approvedPlan);
  const config = join(project.home, ".config/holdfast");
  mkdirSync(config, { recursive: true });
  chmodSync(dirname(project.root), 0o755);
  for (const folder of [config, join(project.home, ".config"), project.home, project.root]) chmodSync(folder, 0o555);
  const isRoot = process.geteuid?.() === 0;
  // Root may write everywhere.
  if (isRoot) process.seteuid?.(65_534);
  onTestFinished(() => void (isRoot && process.seteuid?.(0)));
  const served = await serve(project, { isTerminal: true });
  expect(served.said.err).toBe("");
  expect(await levelBehind(served.link())).toBe("person");
  expect(await served.stop()).toBe(0);
  expect(readdirSync(config)).toEqual([]);
});

it.each([
  [["--host", "0.0.0.0"], "--host needs a proxy with TLS in front"],
  [["--host", "example.org"], "is not an IP address"],
  [["--host", "0.0.0.0", "--behind-proxy", "http://x.example"], "is not an https address"],
  [["--behind-proxy", "https://x.example/path"], "is not an https address"],
  [["--port", "70000"], "is not a number from 0 to 65535"],
  [["--port", "web"], "is not a number from 0 to 65535"],
])("%j is refused before anything is served", async (words, message) => {
  const { code, stderr } = await createProject().holdfast(["serve", ...words]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it("--open tells no secret to the opener, whose arguments every user can read, and leaves no file", async () => {
  const project = createProject();
  const seen = join(project.home, "seen");
  // Whatever opens the address: it reads the page, as a browser does.
  const opener = `#!/bin/sh
page=$(printf '%s' "$1" | sed 's|^file://||')
{ tr '\\0' '\\n' </proc/$$/cmdline; env; } >'${seen}.argv'
{ stat -c '%a' "$page" "$(dirname "$page")"; cat "$page"; } >'${seen}.page'
mv '${seen}.page' '${seen}'
`;
  chmodSync(project.write("bin/xdg-open", opener), 0o755);
  const env = { PATH: `${join(project.root, "bin")}:${project.env.PATH}` };
  const served = await serve(project, { isTerminal: true, env }, ["--open"]);
  await expect.poll(() => existsSync(seen)).toBe(true);
  const link = served.link();
  const told = readFileSync(`${seen}.argv`, "utf8");
  expect(told).toMatch(/file:\/\/\S+open\.html/);
  expect(told).not.toContain(new URL(link).pathname.slice("/open/".length));
  const [mode, folderMode, page] = readFileSync(seen, "utf8").split("\n");
  expect([mode, folderMode]).toEqual(["600", "700"]);
  expect(page).toContain(`url=${link}"`);
  const file = fileURLToPath(/file:\S+/.exec(told)?.[0] ?? "");
  expect(existsSync(file)).toBe(true);
  expect(await levelBehind(link)).toBe("person");
  expect(existsSync(dirname(file))).toBe(false);
  await served.stop();
});

it("--open says so if there is nothing to open a page with, and goes on", async () => {
  const served = await serve(createProject(), { isTerminal: true, env: { PATH: "/nowhere" } }, ["--open"]);
  await expect.poll(() => served.said.err).toContain("no browser could be opened");
  expect(await levelBehind(served.link())).toBe("person");
  await served.stop();
});

it("the program stops at once on SIGTERM, and a taken port names another", async () => {
  const project = createProject();
  const child = project.begin(["serve", "--port", "0", "--json"]);
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const { port, level, link } = JSON.parse(line);
  expect(level).toBe("read");
  const taken = await project.holdfast(["serve", "--port", String(port)]);
  expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining(`holdfast serve --port ${port + 1}`)]);
  // A connection that stays open does not keep it.
  await (await fetch(link)).text();
  const end = ended(child);
  child.kill("SIGTERM");
  expect(await end).toMatchObject({ code: 0, stderr: "" });
});
