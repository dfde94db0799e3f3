import { dirname, join } from "node:path";
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

/**
 * Writes the program that hosts call at every turn as one small file, because each further one costs time to load. What
 * reads a changed `config.yaml` is large and rarely needed, and stands beside it.
 */
export async function bundleHook(outfile: string): Promise<void> {
  const shared = { bundle: true, minify: true, platform: "node", format: "esm", target: "node20" } as const;
  const settings = "hook-settings.js";
  const apart: Plugin = {
    name: "settings-apart",
    setup: ({ onResolve }) =>
      onResolve({ filter: /\/read-settings\.ts$/ }, ({ kind }) =>
        kind === "dynamic-import" ? { path: `./${settings}`, external: true } : undefined,
      ),
  };
  await build({ ...shared, entryPoints: ["src/bin/hook.ts"], outfile, plugins: [apart] });
  await build({ ...shared, entryPoints: ["src/app/read-settings.ts"], outfile: join(dirname(outfile), settings) });
}
