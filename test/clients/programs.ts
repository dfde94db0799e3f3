import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";

const claudeVersion = "2.1.197";
const codexVersion = "0.166.0";

/** The path of the pinned Claude Code, installed on first use. */
export function claudeProgram(): Promise<string> {
  const name = `@anthropic-ai/claude-code-linux-${architecture()}${usesMusl() ? "-musl" : ""}`;
  return installed({
    folder: `claude-code-${claudeVersion}`,
    package: `${name}@${claudeVersion}`,
    binary: `node_modules/${name}/claude`,
  });
}

/** The path of the pinned Codex, installed on first use. Its one Linux build is static and runs on every libc. */
export function codexProgram(): Promise<string> {
  const target = { x64: "x86_64-unknown-linux-musl", arm64: "aarch64-unknown-linux-musl" }[architecture()];
  return installed({
    folder: `codex-${codexVersion}`,
    // The native builds are versions of the same package, told apart by a suffix.
    package: `@openai/codex@${codexVersion}-linux-${architecture()}`,
    binary: `node_modules/@openai/codex/vendor/${target}/bin/codex`,
  });
}

interface Wanted {
  readonly folder: string;
  readonly package: string;
  readonly binary: string;
}

const installMs = 15 * 60_000;

async function installed(wanted: Wanted): Promise<string> {
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

function architecture(): "x64" | "arm64" {
  const { platform, arch } = process;
  if (platform === "linux" && (arch === "x64" || arch === "arm64")) return arch;
  throw new Error(`the client tests run on Linux, x64 or arm64; this is ${platform} ${arch}`);
}

const report = z.object({ header: z.object({ glibcVersionRuntime: z.string().optional() }) });

function usesMusl(): boolean {
  return report.parse(process.report.getReport()).header.glibcVersionRuntime === undefined;
}
