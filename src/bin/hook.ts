#!/usr/bin/env node
// What hosts call at every turn of a conversation: apart from the rest, because it must start fast.
import { codeFolder, openCodeCache } from "../hooks/code-cache.ts";
import { openParts } from "../hooks/load-parts.ts";

// Whatever is wrong with this installation must not be the host's trouble; nor must a host that has closed our output.
process.on("uncaughtException", () => process.exit(0));

const words = process.argv.slice(2);
const folder = codeFolder();
const event = words.find((word) => /^[A-Z][A-Za-z]{3,30}$/.test(word));
const cache = folder === null || event === undefined ? null : openCodeCache(folder, event);
const parts = openParts(import.meta.dirname, cache);
const { runHook } = parts.load("./hook-main.cjs") as typeof import("../hooks/main.ts");
void runHook(words, parts.keep);
