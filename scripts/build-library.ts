import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { filesBehind } from "./files-behind.ts";
import { shortenDeclarations } from "./shorten-declarations.ts";

/** Writes the entries that package.json exports into dist/, with the code that they share in chunks, and their types. */
export async function buildLibrary(): Promise<void> {
  const entries = libraryEntries();
  await build({
    entryPoints: entries.map((entry) => `src/${entry}.ts`),
    outbase: "src",
    outdir: "dist",
    chunkNames: "chunks/[hash]",
    bundle: true,
    // An error class that two entries throw must be the same class in both.
    splitting: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    // Names stay as they are, for whoever reads a stack trace.
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: "warning",
  });
  await writeTypes(entries);
}

/** The path that an entry has below src/ and dist/, without its extension. */
function libraryEntries(): string[] {
  const { exports }: Manifest = JSON.parse(readFileSync("package.json", "utf8"));
  return Object.values(exports).flatMap((target) =>
    typeof target === "string" ? [] : [relative("dist", target.default).replace(/\.js$/, "")],
  );
}

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

/** The compiler declares every module; only the declarations that an entry leads to are kept. */
async function writeTypes(entries: readonly string[]): Promise<void> {
  const draft = mkdtempSync(join(tmpdir(), "holdfast-types-"));
  try {
    execFileSync("npx", ["--no-install", "tsc", "-p", "tsconfig.build.json", "--outDir", draft], { stdio: "inherit" });
    const files = [...filesBehind(entries.map((entry) => join(draft, `${entry}.d.ts`)))];
    const declarations = new Map(files.map((file) => [file, asPublished(readFileSync(file, "utf8"))]));
    for (const [file, text] of shortenDeclarations(declarations)) {
      const target = join("dist", relative(draft, file));
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text);
    }
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The compiler leaves the extension of the sources in place, and indents by four: a third of the declarations is spaces. */
function asPublished(declarations: string): string {
  return declarations
    .replaceAll(/(["']\.{1,2}\/[^"'\n]+)\.ts(["'])/g, "$1.js$2")
    .replaceAll(/^(?: {4})+/gm, (indent) => "\t".repeat(indent.length / 4));
}
