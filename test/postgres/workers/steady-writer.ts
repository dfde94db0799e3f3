import { setTimeout as pause } from "node:timers/promises";
import { inspect } from "node:util";
import { isHoldfastError } from "../../../src/errors.ts";
import { createCopiedStore } from "../../../src/store/copied-store.ts";
import { createPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Commit } from "../../../src/store/store.ts";
import { templateFile } from "../../../src/templates/hash.ts";

// Appends the texts "<name> 1", "<name> 2" and so on, <count> of them, to each run, to all runs at once, each text once, whatever
// happens to the connection or to an earlier process with its name. Prints each with its run when it is acknowledged, and every error in full.
const [url = "", root = "", runs = "", name = "", count = ""] = process.argv.slice(2);
const shared = createPostgresStore({
  ...{ url, project: "chaos", connections: 2, patience: 3_000, waits: { connect: 2_000, answer: 1_000 } },
});
const store = createCopiedStore(shared, { root, templateFile, retryAfter: 50 });
const at = "2026-01-01T00:00:00.000Z";
const parent = process.ppid;
await Promise.all(runs.split(",").map(write));
await store.close();

async function write(run: string): Promise<void> {
  const writer = createWriter(run);
  while (process.ppid === parent) {
    try {
      if (await writer.catchUp()) return;
      process.stdout.write(`${run} ${await writer.append()}\n`);
    } catch (error) {
      if (isHoldfastError(error, "version-conflict")) continue;
      if (!isHoldfastError(error, "store-unreachable")) throw error;
      process.stderr.write(`${inspect(error, { depth: 12, showHidden: true })}\n`);
      await pause(50);
    }
  }
}

function createWriter(run: string) {
  let last: Commit | undefined;
  let done = 0;
  const next = () => `${name} ${done + 1}`;
  return {
    /** Also counts what was stored without an acknowledgement. Whether all texts are there. */
    async catchUp(): Promise<boolean> {
      for await (const commit of store.read(run, { version: (last?.version ?? 0) + 1 })) {
        last = commit;
        const [event] = commit.events;
        if (event?.type === "summary-set" && event.summary === next()) done += 1;
      }
      return done === Number(count);
    },
    async append(): Promise<string> {
      const version = last?.version ?? 0;
      const summary = next();
      const projection = { status: "active", step: "write", who: name, at, data: summary };
      last = await store.append(run, version, [{ seq: version + 1, at, type: "summary-set", summary }], last, {
        projection,
      });
      done += 1;
      return summary;
    },
  };
}
