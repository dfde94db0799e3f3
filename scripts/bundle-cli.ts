import { build } from "esbuild";

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
    format: "esm",
    target: "node20",
    // A bundled CommonJS module may call require, which a module does not have.
    banner: {
      js: 'import { createRequire as holdfastRequire } from "node:module"; const require = holdfastRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
}
