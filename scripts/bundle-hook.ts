import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, relative, resolve } from "node:path";
import { type BuildOptions, build, type Plugin, transform } from "esbuild";
import { allOf, apart, lateChildProcess, type Parts, refuseWideText } from "./bundle-parts.ts";

export const hookTracked = "hook-tracked.cjs";
const hookMain = "hook-main.cjs";
const hookSettings = "hook-settings.cjs";

/** What the command line and the server take from the hook program. */
export const readAsHooksDo = ["src/hooks/statusline.ts", "src/app/continuity/events/live-runs.ts"];

/** Beside what every event needs stands what few do: what writes journals and cards, looks for workflows in texts, reads YAML. */
const parts: Parts = {
  [hookMain]: ["src/hooks/main.ts"],
  "hook-journal.cjs": [
    "src/journal/light/unchecked-journal.ts",
    "src/app/continuity/ports/append-notices.ts",
    "src/app/continuity/ports/queued-notices.ts",
    "src/sessions/environment.ts",
    "src/sessions/old-sessions.ts",
    "src/app/continuity/events/after-compaction.ts",
    "src/app/continuity/events/end-session.ts",
  ],
  "hook-handoff.cjs": [
    "src/app/continuity/events/restore-session.ts",
    "src/app/continuity/handoff/gather-facts.ts",
    "src/app/continuity/handoff/fit-handoff.ts",
    "src/handoff/short-texts.ts",
    "src/app/shown/shown-log.ts",
  ],
  "hook-compaction.cjs": [
    "src/app/continuity/events/before-compaction.ts",
    "src/app/continuity/events/subagent-compaction.ts",
    "src/app/continuity/events/restore-subagent.ts",
    "src/app/runs/sync-card.ts",
  ],
  "hook-memory.cjs": ["src/app/continuity/handoff/run-memory.ts", "src/app/continuity/handoff/gate-wait.ts"],
  "hook-queue.cjs": [
    "src/store/notice-queue.ts",
    "src/store/reach.ts",
    "src/store/copy-mark.ts",
    "src/store/copy-memory.ts",
  ],
  "hook-turn.cjs": ["src/app/continuity/events/turn-events.ts"],
  "hook-about.cjs": ["src/hooks/about.ts"],
  "hook-log.cjs": ["src/project/trouble-log.ts"],
  "hook-due.cjs": ["src/app/priming/plan-artifacts.ts"],
  "hook-artifacts.cjs": ["src/app/continuity/handoff/handoff-artifacts.ts"],
  [hookTracked]: [
    "src/app/continuity/tracked/tracked.ts",
    "src/app/continuity/tracked/restore-tracked.ts",
    ...readAsHooksDo,
  ],
  [hookSettings]: [
    "src/project/compile-settings.ts",
    "src/app/priming/allowance.ts",
    "src/app/workflows/user-settings.ts",
  ],
};

const asScript = {
  bundle: true,
  minify: true,
  // V8 reads plain letters faster than a text that has others in it.
  charset: "ascii",
  platform: "node",
  target: "node20",
  define: { "import.meta.dirname": "__dirname" },
  // No part but one may load zod or YAML. The settings are compiled only after they have changed, so that part may take
  // both from the installed package: 200 KB less.
  external: ["zod", "yaml"],
  logLevel: "warning",
} satisfies BuildOptions;

/** An import of one of Node's own modules loads more of Node than a `require` does. */
const asCommonJs = { format: "cjs", supported: { "dynamic-import": false } } satisfies BuildOptions;

/** Writes the program that hosts call on every hook event. */
export async function bundleHook(outfile: string): Promise<void> {
  await build({
    ...asScript,
    ...asCommonJs,
    entryPoints: ["src/bin/hook.ts"],
    outfile,
    plugins: [apart(parts)],
  });
  await mkdir(dirname(outfile), { recursive: true });
  // esbuild shares code between modules only, so the parts are written as modules first.
  const { outputFiles } = await build({
    ...asScript,
    format: "esm",
    splitting: true,
    chunkNames: "hook-shared-[hash]",
    outExtension: { ".js": ".cjs" },
    entryPoints: Object.keys(parts).map((file) => ({ in: `part:${file}`, out: basename(file, ".cjs") })),
    outdir: dirname(outfile),
    write: false,
    plugins: [apart(parts), sharing(await findShared()), lateChildProcess],
  });
  for (const { path, text } of outputFiles) {
    const { code } = await transform(text, {
      ...asCommonJs,
      minify: true,
      charset: "ascii",
      platform: "node",
      target: "node20",
    });
    await writeFile(path, code);
    await refuseWideText(path);
    refuseSlowStart(path, code);
  }
}

/** Loading zod takes longer than everything else that a hook does. */
function refuseSlowStart(outfile: string, code: string): void {
  const [found] = /require\("(zod|yaml)"\)/.exec(code) ?? [];
  if (found !== undefined && !outfile.endsWith(hookSettings)) throw new Error(`${outfile} has ${found}`);
}

/** Sources that several parts need, which then are in a file that these parts load. */
interface Shared {
  /** In the file that every part loads: the main part needs all of them. */
  readonly byAll: readonly string[];
  /** In the file that those parts load that tell an agent where its run stands. */
  readonly byTelling: readonly string[];
}

/** Not the journal, though it needs some of the same: the end of a turn is recorded in it, and tells nothing. */
const telling = [
  "hook-handoff.cjs",
  "hook-compaction.cjs",
  "hook-memory.cjs",
  "hook-due.cjs",
  "hook-artifacts.cjs",
  hookTracked,
  hookSettings,
];

async function findShared(): Promise<Shared> {
  const bytes = new Map(
    await Promise.all(Object.keys(parts).map(async (file) => [file, await bytesIn(file)] as const)),
  );
  const sources = [...new Set([...bytes.values()].flatMap((part) => [...part.keys()]))];
  const most = (source: string) => Math.max(...[...bytes.values()].map((part) => part.get(source) ?? 0));
  // A part that needs little of a source has a copy of that little: all of it would be more to load.
  const needs = (file: string, source: string) => (bytes.get(file)?.get(source) ?? 0) >= 0.75 * most(source);
  const among = (files: readonly string[], source: string) => files.filter((file) => needs(file, source)).length;
  const byAll = sources.filter((source) => needs(hookMain, source) && among(Object.keys(parts), source) > 1);
  const byTelling = sources.filter((source) => !byAll.includes(source) && among(telling, source) > 1);
  return { byAll, byTelling };
}

/** What a part would hold of each source if it shared nothing. */
async function bytesIn(file: string): Promise<ReadonlyMap<string, number>> {
  const { metafile } = await build({
    ...asScript,
    ...asCommonJs,
    stdin: { contents: allOf(parts[file] ?? []), resolveDir: process.cwd() },
    write: false,
    metafile: true,
    plugins: [apart(parts), lateChildProcess],
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  return new Map(
    inputs.flatMap(([source, { bytesInOutput }]) =>
      source.startsWith("src/") && bytesInOutput > 0 ? [[source, bytesInOutput]] : [],
    ),
  );
}

/**
 * Gives every part a copy of its sources, in a namespace with its name, except for those that are shared. A part imports
 * all that are shared with it: esbuild makes a file for each set of parts that load the same.
 */
function sharing({ byAll, byTelling }: Shared): Plugin {
  const ownerOf = (source: string, part: string) => {
    if (part === hookMain || byAll.includes(source)) return hookMain;
    return telling.includes(part) && byTelling.includes(source) ? "telling" : part;
  };
  return {
    name: "sharing",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^part:/ }, ({ path }) => ({ path, namespace: "part" }));
      onLoad({ filter: /^part:/, namespace: "part" }, ({ path }) => {
        const file = path.slice("part:".length);
        const shared = [...byAll, ...(telling.includes(file) ? byTelling : [])];
        return { contents: allOf(parts[file] ?? [], shared), resolveDir: process.cwd() };
      });
      onResolve({ filter: /\.ts$/ }, ({ path, resolveDir, importer, namespace }) => {
        const target = resolve(resolveDir, path);
        const part = namespace === "part" ? importer.slice("part:".length) : namespace;
        return { path: target, namespace: ownerOf(relative(process.cwd(), target), part) };
      });
      onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
        contents: await readFile(path, "utf8"),
        loader: "ts",
        resolveDir: dirname(path),
      }));
    },
  };
}
