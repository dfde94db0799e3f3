import { dirname, join, relative, resolve } from "node:path";
import { build, type Plugin } from "esbuild";

/** Writes a program as one file, and a chunk for what only some calls load, that need nothing but Node. */
export async function bundleCli(outfile: string, entry = "src/bin/holdfast.ts"): Promise<void> {
  const [, folder = ".", name = ""] = /^(.*)\/([^/]+)\.m?js$/.exec(outfile) ?? [];
  await build({
    entryPoints: [{ in: entry, out: name }],
    outdir: folder,
    outExtension: { ".js": outfile.endsWith(".mjs") ? ".mjs" : ".js" },
    chunkNames: "chunk-[hash]",
    bundle: true,
    splitting: true,
    platform: "node",
    // What jsonc-parser has under "main" requires its own parts in a way that cannot be bundled.
    mainFields: ["module", "main"],
    format: "esm",
    target: "node20",
    // A bundled CommonJS module may call require, which a module does not have.
    banner: {
      js: 'import { createRequire as holdfastRequire } from "node:module"; const require = holdfastRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
}

const folder = "src/app/continuity";

/** Beside what every event needs stands what few do: what writes journals and cards, looks for workflows in texts, reads YAML. */
const parts = {
  "hook-main.cjs": ["src/hooks/main.ts"],
  "hook-journal.cjs": ["recording", "note-run", "keep-card", "environment", "after-compaction", "end-session"].map(
    (name) => `${folder}/${name}.ts`,
  ),
  "hook-turn.cjs": [`${folder}/in-turn.ts`],
  "hook-about.cjs": ["src/hooks/about.ts"],
  "hook-artifacts.cjs": [`${folder}/handoff-artifacts.ts`],
  "hook-tracked.cjs": [`${folder}/tracked.ts`],
  "hook-settings.cjs": ["src/app/read-settings.ts", "src/app/priming/allowance.ts"],
};

/**
 * Writes the program that hosts call at every turn: a few lines that load the rest with the code that an earlier run
 * has compiled. As CommonJS: an import of one of Node's own modules loads more of Node than a require does.
 */
export async function bundleHook(outfile: string): Promise<void> {
  const shared = {
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
  } as const;
  const split: Plugin = {
    name: "parts",
    setup: ({ onResolve }) =>
      onResolve({ filter: /\.ts$/ }, ({ kind, path, resolveDir }) => {
        const source = relative(process.cwd(), resolve(resolveDir, path));
        const file = Object.entries(parts).find(([, sources]) => sources.includes(source))?.[0];
        return kind === "dynamic-import" && file !== undefined ? { path: `./${file}`, external: true } : undefined;
      }),
  };
  await build({ ...shared, entryPoints: ["src/bin/hook.ts"], outfile });
  for (const [file, sources] of Object.entries(parts)) {
    const contents = sources.map((source) => `export * from "./${source}";`).join("\n");
    const stdin = { contents, resolveDir: process.cwd() };
    await build({ ...shared, stdin, outfile: join(dirname(outfile), file), plugins: [split] });
  }
}
