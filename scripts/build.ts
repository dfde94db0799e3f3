// The library is compiled file by file, with its types; the command line is one file, because that starts faster.

import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { bundleCli, bundleHook } from "./bundle-cli.ts";

execFileSync("npx", ["--no-install", "tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });
await bundleCli("dist/bin/holdfast.js");
await bundleHook("dist/bin/hook.cjs");
chmodSync("dist/bin/holdfast.js", 0o755);
