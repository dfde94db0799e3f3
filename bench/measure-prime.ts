// How the time to load artifacts grows with their number, side by side in one run. Started by run.ts.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ArtifactContext } from "../src/artifacts/artifact-context.ts";
import { renderArtifacts } from "../src/artifacts/budget.ts";
import { loadArtifacts } from "../src/artifacts/load-artifact.ts";
import { planLoading } from "../src/artifacts/plan-loading.ts";
import type { Artifact } from "../src/model/artifact.ts";
import { type Aim, median, report } from "./report.ts";

const sizes = [10, 100, 1_000] as const;
const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-prime-"));
try {
  mkdirSync(join(folder, "docs"));
  const prose = "The handler reads the row, checks its version and writes it back.\n".repeat(60);
  for (let n = 0; n < 1_000; n++) writeFileSync(join(folder, `docs/${n}.md`), `# ${n}\n${prose}`);
  process.exitCode = report([await measurePrime()]) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Planning, loading and rendering, as `prime` does it, for files of 4 KB. */
async function measurePrime(): Promise<Aim> {
  const rounds: Record<(typeof sizes)[number], number>[] = [];
  for (let round = 0; round < 31; round++) {
    rounds.push({ 10: await prime(10), 100: await prime(100), 1000: await prime(1_000) });
  }
  // The first rounds are for the compiler.
  const of = (size: (typeof sizes)[number]) => median(rounds.slice(6).map((times) => times[size]));
  const perFile = (size: (typeof sizes)[number]) => of(size) / size;
  const value = Math.max(perFile(100), perFile(1_000)) / perFile(10);
  return {
    name: "priming with 10, 100 and 1,000 files: time per file, against 10 files",
    rows: [
      ["files", "time", "per file", "ratio"],
      ...sizes.map((size) => [
        size.toLocaleString("en"),
        `${(of(size) / 1_000).toFixed(2)} ms`,
        `${perFile(size).toFixed(1)} µs`,
        (perFile(size) / perFile(10)).toFixed(2),
      ]),
    ],
    value,
    most: 1.5,
  };
}

async function prime(size: number): Promise<number> {
  const state = { artifacts: { spec_path: "docs/1.md" } };
  const context: ArtifactContext = {
    projectRoot: folder,
    state,
    values: {},
    allowOutside: [],
    trusted: false,
    providers: {},
    run: () => Promise.resolve({ type: "not-started", problem: "a bench runs nothing" }),
  };
  const artifacts = Array.from({ length: size }, (_, n): Artifact => {
    const condition = "state.artifacts.spec_path != null";
    return { id: `a${n}`, type: "markdown", path: `docs/${n}.md`, condition, required: n % 10 === 0 };
  });
  const start = process.hrtime.bigint();
  const plan = planLoading({ artifacts, moments: [{ type: "session_start" }], state, loaded: {}, force: false });
  renderArtifacts(await loadArtifacts(plan, context), 60_000);
  return Number(process.hrtime.bigint() - start) / 1_000;
}
