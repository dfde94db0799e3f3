// Checks the package as it would be published: its files, its size, its dependencies, and whether Node and TypeScript
// find every entry.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { filesBehind } from "./files-behind.ts";

const most = { files: 300, bytes: 2_500_000, dependencies: 3 };

/** Files that people, npm or a program read by name. Every other file must be code that an entry leads to. */
const readByName = /^(package\.json|README\.md|LICENSE|(plugin|schema|workflows|dist\/page)\/.+)$/;

/** No export leads to the hook program: the shims of `holdfast init` and of the plugin find it by this path. */
const hookProgram = "dist/bin/hook.cjs";

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
  readonly unpackedSize: number;
}

interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

const folder = mkdtempSync(join(tmpdir(), "holdfast-package-"));
try {
  checkPackage();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function checkPackage(): void {
  run("npm", ["run", "--silent", "build"]);
  const packed = pack();
  const tarball = join(folder, packed.filename);
  execFileSync("tar", ["-xzf", tarball, "-C", folder]);
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package/package.json"), "utf8"));
  const problems = [...excess(packed, manifest), ...strayFiles(packed, manifest)];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) throw new Error("the package is not fit to be published");
  run("npx", ["--no-install", "publint", "run", tarball, "--strict"]);
  // The package has ES modules only, so how `require` and older resolvers see it is not judged.
  run("npx", ["--no-install", "attw", tarball, "--profile", "esm-only", "--no-definitely-typed", "--format", "ascii"]);
  console.log(`package: ${packed.files.length} files, ${packed.unpackedSize.toLocaleString("en")} bytes unpacked`);
}

/** Shows what a program has to say only when it fails. */
function run(command: string, words: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(command, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${[command, ...words].join(" ")} failed:\n${stdout}${stderr}`);
}

function pack(): Packed {
  const words = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const [packed]: Packed[] = JSON.parse(execFileSync("npm", words, { encoding: "utf8" }));
  if (packed === undefined) throw new Error("npm pack wrote no tarball");
  return packed;
}

function excess({ files, unpackedSize }: Packed, { dependencies }: Manifest): string[] {
  const counts = { files: files.length, bytes: unpackedSize, dependencies: Object.keys(dependencies).length };
  return (["files", "bytes", "dependencies"] as const).flatMap((what) =>
    counts[what] > most[what] ? [`${counts[what]} ${what}; ${most[what]} is the most`] : [],
  );
}

function strayFiles({ files }: Packed, { bin, exports }: Manifest): string[] {
  const modules = Object.values(exports).flatMap((target) => (typeof target === "string" ? [] : Object.values(target)));
  const roots = [...Object.values(bin), ...modules, hookProgram].map((path) => join(folder, "package", path));
  const used = new Set([...filesBehind(roots)].map((file) => relative(join(folder, "package"), file)));
  return files.flatMap(({ path }) =>
    used.has(path) || readByName.test(path) ? [] : [`${path}: no entry of the package leads to it`],
  );
}
