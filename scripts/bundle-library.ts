import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { build, type OnLoadResult, type Plugin } from "esbuild";
import { allOf } from "./bundle-parts.ts";

/** The path that an entry of the library has below src/ and dist/, without its extension. */
export function libraryEntries(): string[] {
  const { exports }: Manifest = JSON.parse(readFileSync("package.json", "utf8"));
  return Object.values(exports).flatMap((target) =>
    typeof target === "string" ? [] : [relative("dist", target.default).replace(/\.js$/, "")],
  );
}

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

/**
 * Bundles the library's entries, `library:` in front of their names, beside those of the program. The library takes zod and YAML
 * by their names, where the program has copies. So the library gets its own copy of the sources that lead to one of these, and
 * shares all others with the program. `added` are sources that an entry loads for others.
 */
export async function asLibrary(added: (entry: string) => readonly string[]): Promise<Plugin> {
  const own = await sourcesWithPackages();
  const place = (source: string) =>
    own.has(relative(process.cwd(), source)) ? { path: source, namespace: "library" } : { path: source };
  return {
    name: "library",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^library:/ }, ({ path }) => ({ path, namespace: "library" }));
      onLoad({ filter: /^library:/, namespace: "library" }, ({ path }) => {
        const entry = path.slice("library:".length);
        return { contents: allOf([`src/${entry}.ts`], added(entry)), resolveDir: process.cwd() };
      });
      onResolve({ filter: /./, namespace: "library" }, ({ path, resolveDir }) =>
        path.startsWith(".") ? place(resolve(resolveDir, path)) : { path, external: true },
      );
      // With its own copy of these few lines, a page that uses a context loads nothing of the rest.
      onResolve({ filter: /\/model\/[^/]+\.ts$/ }, ({ path, resolveDir }) =>
        resolveDir.startsWith(resolve("src/context"))
          ? { path: resolve(resolveDir, path), namespace: "context" }
          : undefined,
      );
      onLoad({ filter: /\.ts$/, namespace: "library" }, ({ path }) => sourceAt(path));
      onLoad({ filter: /\.ts$/, namespace: "context" }, ({ path }) => sourceAt(path));
    },
  };
}

async function sourceAt(path: string): Promise<OnLoadResult> {
  return { contents: await readFile(path, "utf8"), loader: "ts", resolveDir: dirname(path) };
}

/** The sources of the library that import a package in their own way, and those that lead to them. */
async function sourcesWithPackages(): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    entryPoints: libraryEntries().map((entry) => `src/${entry}.ts`),
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    outdir: "dist",
    write: false,
    metafile: true,
    logLevel: "warning",
  });
  const sources = Object.entries(metafile.inputs);
  // The program gets these at run time, too.
  const isShared = (path: string) => /^(?:node:.+|pg)$/.test(path);
  const found = new Set<string>();
  // Imports may be circular, so this looks again until nothing is added.
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [source, { imports }] of sources) {
      if (imports.some(({ path, external }) => (external && !isShared(path)) || found.has(path))) found.add(source);
    }
  }
  return found;
}
