#!/usr/bin/env node
// What hosts call at every turn of a conversation: apart from the rest, because it must start fast.
import { runHook } from "../hooks/main.ts";

void runHook(process.argv.slice(2));
