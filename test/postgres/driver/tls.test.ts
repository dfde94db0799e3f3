import { once } from "node:events";
import { chownSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { serverUser } from "../../../scripts/postgres-binaries.ts";
import { type PostgresServer, plantedPassword, startPostgres } from "../../../scripts/postgres-server.ts";
import { createPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Ended } from "../../cli/program.ts";
import { contextOf } from "../../hooks/hook-program.ts";
import { at, makeDatabase, type TestDatabase } from "../database.ts";
import { noted } from "../events.ts";
import { expectDone, makeTeam, session, tell } from "../team.ts";

// A server of its own, on which nobody but the superuser can do without TLS.

const certificate = (name: string) => join(import.meta.dirname, "certificates", name);
const own = mkdtempSync(join(tmpdir(), "holdfast-tls-"));
const verified = `sslmode=verify-full&sslrootcert=${certificate("ca.pem")}`;

let server: PostgresServer;
let database: TestDatabase;
let cluster: string;
beforeAll(async () => {
  server = await startPostgres({ durable: false });
  database = await makeDatabase(server.url);
  cluster = String((await database.query("SHOW data_directory"))[0]?.data_directory);
  const users = ["host all holdfast", "hostssl all carl", "hostssl all all"];
  const methods = ["scram-sha-256", "cert", "scram-sha-256"];
  give("pg_hba.conf", users.map((user, n) => `${user} all ${methods[n]}\n`).join(""));
  give("clients.crt", readFileSync(certificate("ca.pem"), "utf8"));
  give("server.key", readFileSync(certificate("server-test-only.key"), "utf8"));
  for (const name of ["ann", "bob", "carl"])
    await database.query(`CREATE ROLE ${name} LOGIN SUPERUSER PASSWORD '${plantedPassword}'`);
  await database.query("ALTER SYSTEM SET ssl_ca_file = 'clients.crt'");
  mkdirSync(join(own, "folder"));
  writeFileSync(join(own, "text.pem"), "not in this format\n");
  writeFileSync(join(own, "empty.pem"), "");
});
beforeEach(() => present("server.pem"));
afterEach(() => database.query("DELETE FROM holdfast.runs"));
afterAll(() => server.stop());

/** A file for the server, which wants to be the only one that can read its key. */
function give(name: string, text: string): void {
  const path = join(cluster, name);
  writeFileSync(path, text, { mode: 0o600 });
  const { uid, gid } = serverUser();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/** The server presents this certificate to whoever connects from now on; none if it is null. */
async function present(name: string | null): Promise<void> {
  if (name !== null) give("server.crt", readFileSync(certificate(name), "utf8"));
  await database.query(`ALTER SYSTEM SET ssl = ${name === null ? "off" : "on"}`);
  await database.query("SELECT pg_reload_conf()");
}

const urlOf = (username: string, query: string) =>
  `${at(database.url, { username, hostname: "localhost" })}${query === "" ? "" : `?${query}`}`;

/** What somebody is told who connects. */
async function told(username: string, query: string): Promise<string> {
  const store = createPostgresStore({ url: urlOf(username, query), project: "one" });
  try {
    return (await store.list()).join() || "connected";
  } catch (error) {
    expect(error).toMatchObject({ code: "store-refused" });
    const { message, next } = error as Error & { readonly next: string };
    return `${message}\n${next}`;
  } finally {
    await store.close();
  }
}

function expectQuiet(call: Ended): Ended {
  expect(expectDone(call).stderr).toBe("");
  return call;
}

test("two people work on a run over TLS, and nothing but Holdfast speaks to them", async () => {
  const query = `sslmode=require&sslrootcert=${certificate("ca.pem")}`;
  const team = makeTeam(database);
  const [ann, bob] = [
    await team.join("ann", { url: urlOf("ann", query) }),
    await team.join("bob", { url: urlOf("bob", `sslmode=verify-full`) }),
  ];
  const trusting = { NODE_EXTRA_CA_CERTS: certificate("ca.pem") };
  expectQuiet(await ann.holdfast(["store", "init"]));
  const { runId } = JSON.parse(expectQuiet(await ann.holdfast(["start", "steps", "--json"])).stdout);
  expect(expectQuiet(await bob.holdfast(["next", "--run", runId], trusting)).stdout).toContain("Do the first");
  expectQuiet(await bob.holdfast(["advance", "--run", runId, "--output", "x"], trusting));
  expect(expectQuiet(await ann.holdfast(["store", "status"])).stdout).toMatch(/^connected/);
  expect(expectQuiet(await ann.holdfast(["runs"])).stdout).toContain("second");
  expectQuiet(await ann.person(["store", "migrate", "--to", "files", "--yes"]));
});

test.each(["prefer", "require", "verify-ca", "verify-full"])(
  "sslmode=%s verifies the server and its name",
  async (mode) => {
    const query = `sslmode=${mode}&sslrootcert=${certificate("ca.pem")}`;
    expect(await told("ann", query)).toBe("connected");
    expect(await told("ann", `sslmode=${mode}`)).toContain("sslrootcert=/path/ca.pem");
    await present("other-name.pem");
    expect(await told("ann", query)).toContain(
      "name the server in the address of your database as its certificate does",
    );
  },
);

test("modes that say so do not verify the server", async () => {
  expect(await told("ann", "sslmode=no-verify")).toBe("connected");
  expect(await told("ann", "sslmode=require&uselibpqcompat=true")).toBe("connected");
});

test.each([
  ["expired.pem", verified, "certificate has expired", "renewed"],
  ["self-signed.pem", verified, "self-signed certificate", "sslrootcert=/path/ca.pem"],
  ["server.pem", "", "no encryption", "add sslmode=verify-full"],
  ["server.pem", "sslmode=disable", "no encryption", "add sslmode=verify-full"],
  [null, "sslmode=require", "does not support SSL", "sslmode=disable"],
])("a server with %s for %s is refused, or refuses, with advice about that", async (name, query, problem, next) => {
  await present(name);
  const [message, advice] = (await told("ann", query)).split("\n");
  expect(message).toContain(problem);
  expect(advice).toContain(next);
});

test.each([
  ["sslrootcert", "none.pem", "there is no such file"],
  ["sslrootcert", "folder", "it is a folder"],
  ["sslrootcert", "text.pem", "has no certificate"],
  ["sslrootcert", "empty.pem", "has no certificate"],
  ["sslcert", "text.pem", "has no certificate"],
  ["sslkey", "text.pem", "has no private key"],
  ["sslkey", "empty.pem", "has no private key"],
])("the file for %s is named if it is %s", async (name, file, problem) => {
  const files = {
    sslrootcert: certificate("ca.pem"),
    sslcert: certificate("client.pem"),
    sslkey: certificate("client-test-only.key"),
    [name]: join(own, file),
  };
  const [message, next] = (await told("carl", String(new URLSearchParams(files)))).split("\n");
  expect(message).toContain(`was not asked: the file ${join(own, file)} for ${name}`);
  expect(message).toContain(problem);
  expect(next).toContain(`correct ${name}`);
});

test("a client certificate lets its user in, and no other does", async () => {
  const files = (name: string, key: string) =>
    `${verified}&sslcert=${certificate(name)}&sslkey=${certificate(`${key}-test-only.key`)}`;
  expect(await told("carl", files("client.pem", "client"))).toBe("connected");
  for (const query of [verified, files("server.pem", "server"), files("client.pem", "server")]) {
    const text = await told("carl", query);
    expect(text).toMatch(/\n.*sslcert=.*&sslkey=/);
    // Nothing of the program text of OpenSSL.
    expect(text).not.toMatch(/\.c:\d|routines/);
  }
});

test("a connection on which TLS cannot begin is closed at once", async () => {
  const listener = createServer((socket) => socket.once("data", () => socket.write("S")));
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const accepted = once(listener, "connection");
  const address = listener.address();
  const port = String(typeof address === "object" && address !== null ? address.port : 0);
  const query = `${verified}&sslcert=${certificate("client.pem")}&sslkey=${certificate("server-test-only.key")}`;
  const url = at(urlOf("carl", query), { hostname: "127.0.0.1", port });
  const store = createPostgresStore({ url, project: "one" });
  await expect(store.list()).rejects.toMatchObject({ code: "store-refused" });
  const [socket] = (await accepted) as [Socket];
  if (!socket.closed) await once(socket.resume(), "close");
  await store.close();
  listener.close();
}, 60_000);

test("a connection outlives the server's certificate; the next one is refused, and hooks go on from the copy", async () => {
  const ann = await makeTeam(database).join("ann", { url: urlOf("ann", verified) });
  const { runId } = await ann.json(["start", "steps"], { HOLDFAST_SESSION: session });
  const store = createPostgresStore({ url: urlOf("ann", verified), project: "one", connections: 1 });
  const run = "first-20260101_000000-aaaa";
  await store.append(run, 0, [noted(1, "one")]);
  await present("expired.pem");
  await store.append(run, 1, [noted(2, "two")]);
  await database.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast'");
  await expect(store.append(run, 2, [noted(3, "three")])).rejects.toThrow("certificate has expired");

  const refused = await ann.holdfast(["advance", "--output", "x"]);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringMatching(/^failed: .*expired.*\n {2}Next .*\n$/)]);
  expect(refused.stderr).not.toContain(plantedPassword);
  expect(await ann.json(["status"])).toMatchObject({ runId, step: "first", asOf: expect.any(String) });
  const hook = await tell(ann, "SessionStart", { source: "compact" });
  expect(contextOf(hook)).toContain("Do the first");

  await present("server.pem");
  await store.append(run, 2, [noted(3, "three")]);
  await store.close();
});
