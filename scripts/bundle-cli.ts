import { build } from "esbuild";

/** Writes the whole command line as one file that needs nothing but Node. */
export async function bundleCli(outfile: string, entry = "src/cli/main.ts"): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
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
