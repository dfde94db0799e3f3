import { readFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";

/** Which sources stand together in which file, where they are imported only when they are needed. */
type Parts = Readonly<Record<string, readonly string[]>>;

const hookTracked = "hook-tracked.cjs";
const hookSettings = "hook-settings.cjs";

/** The faces of the program, and what only some calls of the command line load. */
const faces: Parts = {
  "holdfast-cli.js": ["src/cli/main.ts"],
  // The operations that are called most, and nothing that they need only in rare cases: they start faster than the whole.
  "holdfast-queries.js": ["src/cli/frequent-queries.ts"],
  "holdfast-commands.js": ["src/cli/frequent-commands.ts"],
  // All of these stand on the application, zod and YAML: a file for each would be 2 MB of copies.
  "holdfast-app.js": [
    "src/cli/all-operations.ts",
    "src/cli/doctor/run-doctor.ts",
    "src/cli/run/run-workflow.ts",
    "src/mcp/call-handler.ts",
    "src/project/compile-settings.ts",
    "src/app/priming/allowance.ts",
    "src/app/gates/match-files.ts",
    "src/app/workflows/parse-frozen.ts",
    "src/app/workflows/user-settings.ts",
    "src/templates/reuse/load-workflow.ts",
  ],
  // Both ask with a list to choose from.
  "holdfast-init.js": ["src/cli/init/init.ts", "src/cli/init/pick-run.ts"],
  "holdfast-completion.js": ["src/cli/completion/run-completion.ts"],
  "holdfast-mcp.js": ["src/mcp/main.ts"],
  // Both read runs as hooks do.
  // They stand on what hooks stand on, and one file for all three is 50 KB less.
  [hookTracked]: ["src/hooks/statusline.ts", "src/app/continuity/events/live-runs.ts"],
};

const asModule = {
  bundle: true,
  minify: true,
  platform: "node",
  // What jsonc-parser has under "main" requires its own parts in a way that cannot be bundled.
  mainFields: ["module", "main"],
  format: "esm",
  target: "node20",
  // A bundled CommonJS module may require one of Node's own; a module has no `require`.
  banner: { js: "const require = process.getBuiltinModule;" },
  logLevel: "warning",
} satisfies BuildOptions;

/** Files of packages that bring along far more than we use, and what stands in their place in the bundle. */
const slimmer = [
  // The SDK validates what a user has filled in with Ajv (215 KB), or with this validator on platforms without `eval`.
  // A server that asks for no form needs neither.
  {
    file: /[\\/]server[\\/]dist[\\/]shimsNode\.mjs$/,
    contents: `export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from "./validators/cfWorker.mjs";
      export { default as process } from "node:process";`,
  },
] as const;

const slim: Plugin = {
  name: "slim",
  setup: ({ onLoad }) => {
    for (const { file, contents } of slimmer) {
      onLoad({ filter: file }, ({ path }) => ({ contents, resolveDir: dirname(path) }));
    }
  },
};

/**
 * Gets Node's own modules without importing them: an import reads every export, which loads much of Node that nobody
 * asked for, such as all streams for `node:fs` and WebCrypto for `node:crypto`.
 */
const builtIns: Plugin = {
  name: "built-ins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === "import-statement" ? { path, namespace: "built-in", sideEffects: false } : undefined,
    );
    onLoad({ filter: /./, namespace: "built-in" }, async ({ path }) => {
      const module = `process.getBuiltinModule("${path}")`;
      const names = Object.keys((await import(path)).default);
      const named = names.map((name) => `export const ${name} = /* @__PURE__ */ get("${name}");`);
      return {
        contents: [
          `const get = (name) => ${module}[name];`,
          ...named,
          `export default /* @__PURE__ */ ${module};`,
        ].join("\n"),
      };
    });
  },
};

/** Loads `node:child_process` with the first call: most processes start no other, and it brings sockets along. */
const lateChildProcess: Plugin = {
  name: "late-child-process",
  setup({ onResolve, onLoad }) {
    const path = "node:child_process";
    onResolve({ filter: /^node:child_process$/ }, () => ({ path, namespace: "late", sideEffects: false }));
    onLoad({ filter: /./, namespace: "late" }, () => {
      const late = (name: string) =>
        `export const ${name} = (...words) => process.getBuiltinModule("${path}").${name}(...words);`;
      return { contents: ["execFile", "execFileSync", "spawn", "spawnSync"].map(late).join("\n") };
    });
  },
};

/** Writes the program, which needs nothing but Node: a few lines, and one file for each of its faces. */
export async function bundleCli(outfile: string): Promise<void> {
  const outdir = dirname(outfile);
  await build({
    ...asModule,
    entryPoints: ["src/bin/holdfast.ts"],
    outfile,
    plugins: [apart(faces), lateChildProcess, builtIns],
  });
  await bundleParts(outdir, faces, asModule, [...sharing, hookTracked]);
  await bundleSharing(outdir);
}

/** These have zod, the vocabulary, the hosts and much of the application in common, which gets files of its own. */
const sharing = [
  "holdfast-mcp.js",
  "holdfast-app.js",
  "holdfast-queries.js",
  "holdfast-commands.js",
  "holdfast-init.js",
];

async function bundleSharing(outdir: string): Promise<void> {
  const { metafile } = await build({
    ...asModule,
    splitting: true,
    chunkNames: "holdfast-shared-[hash]",
    entryPoints: sharing.map((file) => ({ in: `part:${file}`, out: basename(file, ".js") })),
    outdir,
    metafile: true,
    plugins: [together(faces), apart(faces), eager, slim, lateChildProcess, builtIns],
  });
  refuseWholeZod(metafile);
  await Promise.all(Object.keys(metafile.outputs).map(refuseWideText));
}

/** One use of `z` or `z.core` as a value brings all of zod along: 57 KB for every command, and messages in forty languages. */
function refuseWholeZod({ outputs }: Metafile): void {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const isUsed = inputs.some(
    ([file, { bytesInOutput }]) => /zod\/v4\/locales\/fr\.js$/.test(file) && bytesInOutput > 0,
  );
  if (isUsed) throw new Error("all of zod is bundled: use only single members of `z`, as in `z.ZodError`");
}

/** The sources of a part as one module. */
function together(parts: Parts): Plugin {
  return {
    name: "together",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^part:/ }, ({ path }) => ({ path, namespace: "part" }));
      onLoad({ filter: /^part:/, namespace: "part" }, ({ path }) => ({
        contents: allOf(parts[path.slice("part:".length)] ?? []),
        resolveDir: process.cwd(),
      }));
    },
  };
}

function allOf(sources: readonly string[]): string {
  return sources.map((source) => `export * from "./${source}";`).join("\n");
}

/**
 * Imports at the start what hooks import only when they need it. Otherwise esbuild would put each of these imports, and
 * everything that it shares with others, into files of their own: ninety in place of three.
 */
const eager: Plugin = {
  name: "eager",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const source = relative(process.cwd(), path);
      const text = await readFile(path, "utf8");
      const found: string[] = [];
      const contents = text.replace(/await import\("(\.[^"]+)"\)/g, (whole, target: string) => {
        if (isPart(join(dirname(source), target)) || target.endsWith("/check-snapshot.ts")) return whole;
        found.push(`import * as eager${found.length} from "${target}";`);
        return `eager${found.length - 1}`;
      });
      return { contents: [...found, contents].join("\n"), loader: "ts" };
    }),
};

function isPart(source: string): boolean {
  return Object.values(faces).some((sources) => sources.includes(source));
}

/** Writes any other program as one file. */
export async function bundleProgram(outfile: string, entry: string): Promise<void> {
  await build({ ...asModule, entryPoints: [entry], outfile });
}

/** Beside what every event needs stands what few do: what writes journals and cards, looks for workflows in texts, reads YAML. */
const hookParts: Parts = {
  "hook-main.cjs": ["src/hooks/main.ts"],
  "hook-journal.cjs": [
    "src/journal/light/unchecked-journal.ts",
    "src/app/continuity/ports/append-notices.ts",
    "src/app/runs/sync-card.ts",
    "src/sessions/environment.ts",
    "src/sessions/old-sessions.ts",
    "src/app/continuity/events/after-compaction.ts",
    "src/app/continuity/events/end-session.ts",
    "src/app/continuity/events/subagent-compaction.ts",
    "src/app/continuity/events/restore-subagent.ts",
  ],
  "hook-handoff.cjs": [
    "src/app/continuity/handoff/gather-facts.ts",
    "src/app/continuity/handoff/fit-handoff.ts",
    "src/handoff/short-texts.ts",
  ],
  "hook-memory.cjs": ["src/app/continuity/handoff/run-memory.ts", "src/app/continuity/handoff/gate-wait.ts"],
  "hook-turn.cjs": ["src/app/continuity/events/turn-events.ts"],
  "hook-about.cjs": ["src/hooks/about.ts"],
  "hook-log.cjs": ["src/project/trouble-log.ts"],
  "hook-artifacts.cjs": ["src/app/continuity/handoff/handoff-artifacts.ts"],
  [hookTracked]: [
    "src/app/continuity/tracked/tracked.ts",
    "src/app/continuity/tracked/restore-tracked.ts",
    ...(faces[hookTracked] ?? []),
  ],
  [hookSettings]: ["src/project/compile-settings.ts", "src/app/priming/allowance.ts"],
};

/**
 * Writes the program that hosts call on every hook event. As CommonJS: importing one of Node's own modules loads more
 * of Node than requiring it does.
 */
export async function bundleHook(outfile: string): Promise<void> {
  const asCommonJs = {
    bundle: true,
    minify: true,
    // V8 reads plain letters faster than a text that has others in it.
    charset: "ascii",
    platform: "node",
    format: "cjs",
    target: "node20",
    supported: { "dynamic-import": false },
    define: { "import.meta.dirname": "__dirname" },
    logLevel: "warning",
  } satisfies BuildOptions;
  await build({ ...asCommonJs, entryPoints: ["src/bin/hook.ts"], outfile, plugins: [apart(hookParts)] });
  // No other part may bundle zod or YAML. The settings are compiled only after they have changed, so that part may take
  // both from the installed package: 200 KB less.
  await bundleParts(dirname(outfile), hookParts, { ...asCommonJs, external: ["zod", "yaml"] });
  for (const file of Object.keys(hookParts)) await refuseSlowStart(join(dirname(outfile), file));
}

/** Loading zod takes longer than everything else that a hook does. */
async function refuseSlowStart(outfile: string): Promise<void> {
  const [found] = /require\("(zod|yaml)"\)/.exec(await readFile(outfile, "latin1")) ?? [];
  if (found !== undefined && !outfile.endsWith(hookSettings)) throw new Error(`${outfile} has ${found}`);
}

/** One letter of another script makes V8 hold and read a whole program as wide text, which takes twice as long. */
async function refuseWideText(outfile: string): Promise<void> {
  const text = await readFile(outfile, "latin1");
  const [found] = /.{0,40}[\x80-\xFF].{0,20}/.exec(text) ?? [];
  if (found !== undefined) throw new Error(`${outfile}: write this with \\u escapes: ${found}`);
}

async function bundleParts(
  target: string,
  parts: Parts,
  options: BuildOptions,
  except: readonly string[] = [],
): Promise<void> {
  for (const [file, sources] of Object.entries(parts)) {
    if (except.includes(file)) continue;
    const stdin = { contents: allOf(sources), resolveDir: process.cwd() };
    const outfile = join(target, file);
    await build({
      ...options,
      stdin,
      outfile,
      plugins: [apart(parts), slim, lateChildProcess, ...(options.format === "esm" ? [builtIns] : [])],
    });
    await refuseWideText(outfile);
  }
}

/** What is imported only when it is needed stands in its own file; few and large ones load faster than many small ones. */
function apart(parts: Parts): Plugin {
  return {
    name: "apart",
    setup: ({ onResolve }) =>
      onResolve({ filter: /\.ts$/ }, ({ kind, path, resolveDir }) => {
        const source = relative(process.cwd(), resolve(resolveDir, path));
        const file = Object.entries(parts).find(([, sources]) => sources.includes(source))?.[0];
        return kind === "dynamic-import" && file !== undefined ? { path: `./${file}`, external: true } : undefined;
      }),
  };
}
