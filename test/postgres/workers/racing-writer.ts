import { createInterface } from "node:readline";
import { isHoldfastError } from "../../../src/errors.ts";
import { createPostgresStore } from "../../../src/store/postgres/postgres-store.ts";

// Appends to the run as often as it is told to, with the version it is told, and says whether it won.
const [url = "", run = "", name = ""] = process.argv.slice(2);
const store = createPostgresStore({ url, project: "race", connections: 1, waits: { connect: 60_000, answer: 60_000 } });

async function answer(line: string): Promise<string> {
  const version = Number(line);
  try {
    const event = { seq: version, at: "2026-01-01T00:00:00.000Z", type: "summary-set", summary: name } as const;
    return `won ${(await store.append(run, version - 1, [event])).id}`;
  } catch (error) {
    if (isHoldfastError(error, "version-conflict")) return "lost";
    throw error;
  }
}

await store.list();
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) process.stdout.write(`${await answer(line)}\n`);
await store.close();
