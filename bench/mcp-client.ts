import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A client of bare lines, so that only the server is measured. */
export interface BareClient {
  open(): Promise<void>;
  call(method: string, params: object): Promise<unknown>;
  close(): Promise<void>;
}

export function openServer(program: string, words: readonly string[], cwd: string): BareClient {
  const env = { ...process.env, HOME: join(cwd, "home") };
  const child = spawn("node", [program, ...words], { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map<number, (result: unknown) => void>();
  let last = 0;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, result, error } = JSON.parse(line);
    waiting.get(id)?.(error === undefined ? result : Promise.reject(new Error(JSON.stringify(error))));
    waiting.delete(id);
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const call = (method: string, params: object) =>
    new Promise<unknown>((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      send({ id: last, method, params });
    });
  return {
    async open() {
      const clientInfo = { name: "bench", version: "0" };
      await call("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
      send({ method: "notifications/initialized" });
    },
    call,
    async close() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}
