import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { runIdOf } from "./long-run.ts";
import { above, ownShare, writeReferences } from "./own-share.ts";
import { type Aim, median } from "./report.ts";

/** `holdfast status` in a new process, on a short and on a long run, beside an empty module and one that imports zod. */
export function measureCold(folder: string, cli: string): readonly Aim[] {
  const status = (size: number, ...words: readonly string[]) =>
    timed(folder, [cli, "status", "--run", runIdOf(size), ...words]);
  // The first looks at a run make its snapshot and its milestones, as its commits would have.
  status(10);
  status(100_000);
  status(100_000, "--at", "99990");
  const references = writeReferences(cli);
  const rounds = Array.from({ length: 21 }, (_, round) => ({
    empty: timed(folder, [references.empty]),
    zod: timed(folder, [references.zod]),
    small: status(10),
    large: status(100_000),
    past: status(100_000, "--at", String(1 + round * 4_987)),
  }));
  type Side = "empty" | "zod" | "small" | "large" | "past";
  const all = (side: Side) => rounds.map((round) => round[side]);
  const row = (name: string, side: Side) => [
    name,
    `${median(all(side)).toFixed(0)} ms`,
    `${median(above(all(side), all("empty"))).toFixed(0)} ms`,
    (median(all(side)) / median(all("empty"))).toFixed(2),
  ];
  const rows = [
    ["", "time", "own share", "ratio"],
    row("an empty module", "empty"),
    row("import zod", "zod"),
    row("status, 10 events", "small"),
    row("status, 100,000 events", "large"),
    row("status at any of them", "past"),
  ];
  return [
    {
      name: "the own share of a cold holdfast status, against that of importing zod",
      rows,
      value: ownShare({ ours: all("small"), empty: all("empty"), zod: all("zod") }),
      most: 2,
    },
    {
      name: "cold holdfast status: the run of 100,000 events against the run of 10",
      rows,
      value: median(rounds.map((round) => round.large / round.small)),
      most: 1.5,
    },
    {
      name: "cold holdfast status: at any of 100,000 events against the newest",
      rows,
      value: median(rounds.map((round) => round.past / round.large)),
      most: 2,
    },
    besideBareNode(folder, [cli, "status", "--run", runIdOf(10)]),
  ];
}

/**
 * Where a company's proxy needs certificates, Node 20 reads them at every start. The aim was set in such an environment; in
 * others a bare Node starts three times as fast, which has no aim.
 */
function besideBareNode(folder: string, status: readonly string[]): Aim {
  const file = join(folder, "certificates.pem");
  writeFileSync(file, rootCertificates.join("\n"));
  const env = { NODE_EXTRA_CA_CERTS: file };
  const bare = ["-e", "0"];
  const rounds = Array.from({ length: 21 }, () => ({
    bare: timed(folder, bare, env),
    status: timed(folder, status, env),
    bareWithout: timed(folder, bare),
    statusWithout: timed(folder, status),
  }));
  const of = (side: keyof (typeof rounds)[number]) => median(rounds.map((round) => round[side]));
  const row = (name: string, theirs: number, ours: number) => [
    name,
    `${theirs.toFixed(0)} ms`,
    `${ours.toFixed(0)} ms`,
    (ours / theirs).toFixed(2),
  ];
  return {
    name: "cold holdfast status against a bare Node, with certificates of the environment",
    rows: [
      ["", "node -e 0", "holdfast status", "ratio"],
      row("with NODE_EXTRA_CA_CERTS", of("bare"), of("status")),
      row("without", of("bareWithout"), of("statusWithout")),
    ],
    value: median(rounds.map((round) => round.status / round.bare)),
    most: 2,
  };
}

function timed(cwd: string, words: readonly string[], more: NodeJS.ProcessEnv = {}): number {
  const start = process.hrtime.bigint();
  execFileSync("node", words, { cwd, stdio: "ignore", env: { ...process.env, HOME: join(cwd, "home"), ...more } });
  return Number(process.hrtime.bigint() - start) / 1_000_000;
}
