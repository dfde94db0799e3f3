import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { packageVersion } from "../package-version.ts";
import { nodeFolder, nodeVersions } from "./nodes.ts";

let folder = "";

/** Before any test: packs the package as npm would publish it, and installs it into an empty project. */
export async function setup(): Promise<void> {
  folder = await realpath(await mkdtemp(join(tmpdir(), "holdfast-install-")));
  await npm(".", ["pack", "--pack-destination", folder]);
  const tarball = join(folder, `holdfast-${packageVersion}.tgz`);
  await install(join(folder, "plain"), [tarball]);
  await install(join(folder, "with-tokenizer"), [tarball, "gpt-tokenizer@4"]);
  for (const version of nodeVersions) await nodeFolder(version);
  process.env.HOLDFAST_TEST_INSTALL = folder;
}

export async function teardown(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

async function install(project: string, packages: readonly string[]): Promise<void> {
  await mkdir(project);
  await writeFile(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
  await npm(project, ["install", "--no-audit", "--no-fund", ...packages]);
}

async function npm(cwd: string, words: readonly string[]): Promise<void> {
  await promisify(execFile)("npm", words, { cwd, timeout: 600_000 });
}
