// What a call over MCP costs, beside a bare server on the same SDK. Started by run.ts.
import { openServer } from "./mcp-client.ts";
import { makeProject } from "./project.ts";
import { type Aim, median, report } from "./report.ts";
import { fiftyRuns, kinds, measureSets, middle, oneRun, runsOfRounds, type Times } from "./round-trips.ts";

const [, , program = "", echo = ""] = process.argv;
const { folder, remove } = await makeProject(runsOfRounds);
const [one, fifty] = [await makeProject(oneRun), await makeProject(fiftyRuns)];
try {
  const places = { folder, withOne: one.folder, withFifty: fifty.folder };
  const aims = [...roundTrips(await measureSets({ program, echo, ...places })), await startUp()];
  process.exitCode = report(aims) ? 0 : 1;
} finally {
  for (const project of [one, fifty]) project.remove();
  remove();
}

function roundTrips(sets: readonly Times[]): Aim[] {
  const times = middle(sets);
  const rows = kinds.map((kind) => [kind, `${times[kind].toFixed(0)} µs`, (times[kind] / times.echo).toFixed(2)]);
  const of = (name: string, most: number, ratio: (times: Times) => number): Aim => {
    const each = sets.map(ratio).sort((a, b) => a - b);
    const spread = ["of the sets", "", `${each.at(0)?.toFixed(2)} to ${each.at(-1)?.toFixed(2)}`];
    return { name, most, value: median(each), rows: [["round trip", "time", "ratio"], ...rows, spread] };
  };
  return [
    of("workflow_status against a bare echo", 2, ({ status10, echo }) => status10 / echo),
    of(
      "workflow_advance against two bare echoes and one durable write",
      1,
      ({ advance10, echo, write }) => advance10 / (2 * echo + write),
    ),
    of("the same calls: 10,000 tasks against 10", 1.3, (set) =>
      Math.max(set.status10000 / set.status10, set.advance10000 / set.advance10),
    ),
    of("a call that names no run: 50 live runs against one", 1.1, ({ unnamed1, unnamed50 }) => unnamed50 / unnamed1),
  ];
}

/** From spawn to the answer of tools/list. */
async function startUp(): Promise<Aim> {
  const start = async (file: string, words: readonly string[]) => {
    const opened = performance.now();
    const server = openServer(file, words, folder);
    await server.open();
    await server.call("tools/list", {});
    const millis = performance.now() - opened;
    await server.close();
    return millis;
  };
  const rounds: { bare: number; ours: number }[] = [];
  for (let n = 0; n < 15; n++) rounds.push({ bare: await start(echo, []), ours: await start(program, ["mcp"]) });
  const value = median(rounds.map(({ bare, ours }) => ours / bare));
  const millis = (side: "bare" | "ours") => `${median(rounds.map((round) => round[side])).toFixed(0)} ms`;
  return {
    name: "from spawn to the answer of tools/list, against a bare server on the same SDK",
    rows: [
      ["server", "time", "ratio"],
      ["bare", millis("bare"), "1.00"],
      ["holdfast mcp", millis("ours"), value.toFixed(2)],
    ],
    value,
    most: 1.5,
  };
}
