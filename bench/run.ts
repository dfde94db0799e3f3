// Runs a bench as users run the program: bundled, under plain Node. `tsx bench/run.ts engine`.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bundleCli, bundleProgram } from "../scripts/bundle-cli.ts";
import { bundleHook } from "../scripts/bundle-hook.ts";

const [, , name = ""] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-program-"));
try {
  const program = join(folder, "dist/bin/holdfast.js");
  const echo = join(folder, "dist/bench/echo.mjs");
  const bench = join(folder, "dist/bench/measure.mjs");
  await bundleCli(program);
  await bundleHook(join(folder, "dist/bin/hook.cjs"));
  await bundleProgram(echo, "bench/echo-server.ts");
  await bundleProgram(bench, `bench/measure-${name}.ts`);
  for (const part of ["workflows", "package.json"]) cpSync(part, join(folder, part), { recursive: true });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  // With this variable set, Node 20 reads certificates at every start, which takes longer than the start itself: beside such a
  // bare Node, everything looks fast.
  const { NODE_EXTRA_CA_CERTS: _certificates, ...env } = process.env;
  const { status } = spawnSync("node", [bench, program, echo], { stdio: "inherit", env });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
