import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { libraryEntries } from "./bundle-library.ts";
import { filesBehind } from "./files-behind.ts";
import { shortenDeclarations } from "./shorten-declarations.ts";

/** Writes the types of the library. The compiler declares every module; only what an entry leads to is kept. */
export async function writeTypes(): Promise<void> {
  const draft = mkdtempSync(join(tmpdir(), "holdfast-types-"));
  try {
    execFileSync("npx", ["--no-install", "tsc", "-p", "tsconfig.build.json", "--outDir", draft], { stdio: "inherit" });
    const files = [...filesBehind(libraryEntries().map((entry) => join(draft, `${entry}.d.ts`)))];
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
