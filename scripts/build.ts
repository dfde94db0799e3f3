// Writes dist/: the library's entries with their types, the program with one file for each of its faces,
// and the page of the dashboard.

import { chmodSync, rmSync } from "node:fs";
import { buildPage } from "./build-page.ts";
import { bundleCli } from "./bundle-cli.ts";
import { bundleHook } from "./bundle-hook.ts";
import { writeTypes } from "./write-types.ts";

// What an earlier build has left would be published, too.
rmSync("dist", { recursive: true, force: true });
console.log("building dist/ ...");
await writeTypes();
await bundleCli("dist/bin/holdfast.js");
await bundleHook("dist/bin/hook.cjs");
await buildPage("dist/page");
chmodSync("dist/bin/holdfast.js", 0o755);
console.log("built dist/");
