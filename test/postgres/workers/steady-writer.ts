import { setTimeout as pause } from "node:timers/promises";
import { inspect } from "node:util";
import { isHoldfastError } from "../../../src/errors.ts";
import { createCopiedStore } from "../../../src/store/copied-store.ts";
import { createPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Commit } from "../../../src/store/store.ts";
import { templateFile } from "../../../src/templates/hash.ts";

// Appends "<name> 1" to "<name> <count>" to the run, each once, whatever happens to the connection or to an earlier process with
// its name. Prints each when it is acknowledged, and every error in full.
const [url = "", root = "", run = "", name = "", count = ""] = process.argv.slice(2);
const shared = createPostgresStore({
  ...{ url, project: "chaos", connections: 2, patience: 3_000, waits: { connect: 2_000, answer: 1_000 } },
});
const store = createCopiedStore(shared, { root, templateFile, retryAfter: 50 });
let last: Commit | undefined;
let done = 0;

const parent = process.ppid;
while (done < Number(count) && process.ppid === parent) {
  try {
    await catchUp();
    if (done === Number(count)) break;
    const version = last?.version ?? 0;
    const summary = `${name} ${done + 1}`;
    const event = { seq: version + 1, at: "2026-01-01T00:00:00.000Z", type: "summary-set", summary } as const;
    last = await store.append(run, version, [event], last);
    done += 1;
    process.stdout.write(`${done}\n`);
  } catch (error) {
    if (isHoldfastError(error, "version-conflict")) continue;
    if (!isHoldfastError(error, "store-unreachable")) throw error;
    process.stderr.write(`${inspect(error, { depth: 12, showHidden: true })}\n`);
    await pause(50);
  }
}
await store.close();

/** Also finds what was stored without an acknowledgement. */
async function catchUp(): Promise<void> {
  for await (const commit of store.read(run, { version: (last?.version ?? 0) + 1 })) {
    last = commit;
    const [event] = commit.events;
    if (event?.type === "summary-set" && event.summary === `${name} ${done + 1}`) done += 1;
  }
}
