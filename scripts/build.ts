// Writes dist/: the library's entries with their types, and the program with one file for each of its faces.

import { chmodSync, rmSync } from "node:fs";
import { buildLibrary } from "./build-library.ts";
import { bundleCli } from "./bundle-cli.ts";
import { bundleHook } from "./bundle-hook.ts";

// What an earlier build has left would be published, too.
rmSync("dist", { recursive: true, force: true });
console.log("building dist/ ...");
await buildLibrary();
await bundleCli("dist/bin/holdfast.js");
await bundleHook("dist/bin/hook.cjs");
chmodSync("dist/bin/holdfast.js", 0o755);
console.log("built dist/");
