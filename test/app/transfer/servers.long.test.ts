import { writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Machine, makeMachines } from "./machines.ts";
import { before, besides, obtainSshd, startHttps, startSshd } from "./servers.ts";

const flow = `
steps:
  - { id: plan, type: action, instructions: "Plan it" }
  - { id: build, type: action, instructions: "Build it" }
  - { id: ship, type: action, instructions: "Ship it" }
`;

async function started() {
  const machines = makeMachines({ flow });
  const agent = machines.ada.agent();
  const { runId: run } = await agent.ok("start", { workflow: "flow" });
  await agent.ok("advance", { output: "a plan" });
  return { ...machines, run };
}

/** There and back: the first push, a pull, what the other machine does, and all runs at once. */
async function goThereAndBack(ada: Machine, bob: Machine, run: string, env: Readonly<Record<string, string>>) {
  expect(await ada.script({ env }).ok("push", { run, yes: true })).toMatchObject({ result: "first" });
  expect((await bob.script({ env }).ok("pull")).runs).toMatchObject([{ runId: run, result: "new", step: "build" }]);
  await bob.agent("s2").ok("advance", { output: "built" });
  expect(await bob.script({ env }).ok("push", { all: true })).toMatchObject({
    runs: [{ runId: run, result: "pushed" }],
  });
  expect((await ada.script({ env }).ok("pull")).runs).toMatchObject([{ runId: run, result: "updated", step: "ship" }]);
  expect(ada.journal(run).startsWith(bob.journal(run).split("\n")[0] ?? "-")).toBe(true);
}

const noSshd = obtainSshd();
if (noSshd !== null) process.stderr.write(`the tests over ssh are skipped: ${noSshd}\n`);

describe.skipIf(noSshd !== null)("a remote over ssh", () => {
  async function overSsh() {
    const machines = await started();
    const { ada, bob, remote } = machines;
    const server = await startSshd(besides(remote, "sshd"));
    for (const machine of [ada, bob]) machine.git("remote", "set-url", "origin", server.urlOf(remote));
    return { ...machines, server };
  }

  it("takes a run there and back", async () => {
    const { ada, bob, run, server } = await overSsh();
    await goThereAndBack(ada, bob, run, before(server.client({ key: true, knowsHost: true })));
  });

  it.each([
    ["that wants a password", { key: false, knowsHost: true }, "Permission denied (publickey,password)"],
    ["whose key is unknown", { key: true, knowsHost: false }, "Host key verification failed."],
  ])("%s ends the push and the pull with one message, where nobody can be asked", async (_name, how, problem) => {
    const { ada, run, server } = await overSsh();
    const env = before(server.client(how));
    const failed = { code: "git-failed", message: expect.stringContaining(problem), next: expect.stringMatching(/\S/) };
    await expect(ada.script({ env }).ok("push", { run, yes: true })).rejects.toMatchObject(failed);
    await expect(ada.script({ env }).ok("push", { all: true, yes: true })).rejects.toMatchObject(failed);
    await expect(ada.script({ env }).ok("pull")).rejects.toMatchObject(failed);
  });
});

describe("a remote over https", () => {
  const password = "hunter2";

  /** Both machines know the server's certificate, and no password yet. */
  async function overHttps() {
    const machines = await started();
    const { ada, bob, remote } = machines;
    const server = await startHttps(besides(remote, "https"), dirname(remote), password);
    for (const { git } of [ada, bob]) {
      git("remote", "set-url", "origin", server.urlOf(basename(remote)));
      git("config", "http.sslCAInfo", server.certificate);
    }
    return { ...machines, server };
  }

  /** What a credential helper knows. */
  function remember({ home, git }: Machine, url: string, secret: string): void {
    const file = join(home, "credentials");
    const { host } = new URL(url);
    writeFileSync(file, `https://ada:${secret}@${host}\n`, { mode: 0o600 });
    git("config", "credential.helper", `store --file '${file}'`);
  }

  it("takes a run there and back, with the password of a credential helper", async () => {
    const { ada, bob, run, server } = await overHttps();
    for (const machine of [ada, bob]) remember(machine, server.urlOf(""), password);
    await goThereAndBack(ada, bob, run, {});
  });

  it("that wants a password ends the push and the pull with one message, where nobody can be asked", async () => {
    const { ada, run } = await overHttps();
    const failed = { code: "git-failed", message: expect.stringContaining("terminal prompts disabled") };
    await expect(ada.script().ok("push", { run, yes: true })).rejects.toMatchObject(failed);
    await expect(ada.script().ok("pull")).rejects.toMatchObject(failed);
  });

  it("asks nobody for a password in an agent's shell, even if that is a terminal", async () => {
    const { ada } = await overHttps();
    const failed = { code: "git-failed", message: expect.stringContaining("terminal prompts disabled") };
    await expect(ada.person({ env: { CLAUDECODE: "1" } }).ok("pull")).rejects.toMatchObject(failed);
    await expect(ada.person({ confirm: undefined }).ok("pull")).rejects.toMatchObject(failed);
    await expect(ada.person().ok("pull")).rejects.not.toMatchObject(failed);
  });

  it("that refuses a password says so without showing it", async () => {
    const { ada, run, server } = await overHttps();
    remember(ada, server.urlOf(""), "wrong-one");
    const failed = ada.script().ok("push", { run, yes: true });
    await expect(failed).rejects.toMatchObject({ code: "git-failed", message: expect.stringMatching(/fatal: /) });
    await expect(failed).rejects.not.toMatchObject({ message: expect.stringContaining("wrong-one") });
  });

  it("whose certificate nobody vouches for is not talked to", async () => {
    const { ada, run, server } = await overHttps();
    remember(ada, server.urlOf(""), password);
    ada.git("config", "--unset", "http.sslCAInfo");
    const failed = { code: "git-failed", message: expect.stringContaining("certificate") };
    await expect(ada.script().ok("push", { run, yes: true })).rejects.toMatchObject(failed);
  });
});
