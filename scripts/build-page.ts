import { rmSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";

/** All files of the page together, compressed. */
const mostBytes = 100_000;

/**
 * Writes the dashboard's page. Its files are stored compressed only: the server hands them out as they are, and the package
 * stays small. Nothing is inline, because the page's policy allows scripts and styles only from the server itself.
 */
export async function buildPage(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await build({
    root: "src/ui",
    configFile: false,
    envFile: false,
    logLevel: "warn",
    publicDir: false,
    base: "/",
    esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
    build: {
      outDir: resolve(folder),
      emptyOutDir: true,
      target: "es2023",
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
  const sizes = await Promise.all((await filesIn(folder)).map(compress));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total > mostBytes) throw new Error(`the page has ${total} bytes compressed; ${mostBytes} is the most`);
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function compress(file: string): Promise<number> {
  const compressed = gzipSync(await readFile(file), { level: 9 });
  await writeFile(`${file}.gz`, compressed);
  await rm(file);
  return compressed.length;
}
