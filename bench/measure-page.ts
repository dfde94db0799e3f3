// How long a browser takes to show a run, beside the page's bare HTML with its styles, from the same server. Needs Chromium.
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { buildPage } from "../scripts/build-page.ts";
import buildPrograms from "../test/bundle.ts";
import { eventsOfRun, longRun } from "./long-run.ts";
import { writeRun } from "./project.ts";
import { type Aim, median, report, timed } from "./report.ts";

const rounds = Number(process.env.HOLDFAST_BENCH_ROUNDS ?? 15);
const run = longRun(1_000);
const removePrograms = await buildPrograms();
try {
  const pageFolder = join(dirname(process.env.HOLDFAST_TEST_CLI ?? ""), "../page");
  await buildPage(pageFolder);
  const isMet = report([sizeOf(pageFolder), await measureRender()]);
  process.exitCode = isMet ? 0 : 1;
} finally {
  await removePrograms();
}
// The browser would keep the process alive.
process.exit();

/** All files of the page as they are sent. */
function sizeOf(folder: string): Aim {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const sizes = files.map(({ parentPath, name }) => [name, statSync(join(parentPath, name)).size] as const);
  const rows = sizes.map(([name, size]) => [name, size.toLocaleString("en")]);
  const kilobytes = sizes.reduce((sum, [, size]) => sum + size, 0) / 1_000;
  return { name: "the page in KB, compressed", rows: [["file", "bytes"], ...rows], value: kilobytes, most: 100 };
}

async function measureRender(): Promise<Aim> {
  // They look for the programs when they are loaded.
  const { createProject } = await import("../test/cli/program.ts");
  const { openLink, projectOf } = await import("../test/browser/support/page.ts");
  const { serve } = await import("../test/browser/support/server.ts");
  const project = createProject("bench");
  writeRun(join(project.root, ".holdfast/runs"), run.runId, eventsOfRun(run));
  const served = await serve(project);
  const { page, context } = await openLink(served, { width: 1440, height: 900 });
  const address = `${served.origin}/p/${await projectOf(page)}/runs/${run.runId}`;
  await page.close();
  const times: { shell: number; run: number }[] = [];
  // The first round starts the server's own memory.
  for (let round = 0; round <= rounds; round++) {
    times.push({ shell: await show(context, address, false), run: await show(context, address, true) });
  }
  await context.close();
  await served.kill();
  return aimOf(times.slice(1));
}

/** In a new tab, until the steps and the visits of the run are there; without scripts, until everything is loaded. */
async function show(context: BrowserContext, address: string, withScripts: boolean): Promise<number> {
  const page = await context.newPage();
  if (!withScripts) await page.route("**/*.js", (route) => route.abort());
  const time = await timed(async () => {
    await page.goto(address);
    if (!withScripts) return;
    await Promise.all([page.locator(".node").first().waitFor(), page.locator(".visit").first().waitFor()]);
  });
  await page.close();
  return time;
}

function aimOf(times: readonly { readonly shell: number; readonly run: number }[]): Aim {
  const millis = (name: "shell" | "run") => `${(median(times.map((each) => each[name])) / 1_000).toFixed(0)} ms`;
  return {
    name: "first render of a run with 1,000 events against the bare HTML",
    rows: [
      ["", "median"],
      ["bare HTML and styles", millis("shell")],
      ["steps and visits of the run", millis("run")],
    ],
    value: median(times.map(({ shell, run: whole }) => whole / shell)),
    most: 5,
  };
}
