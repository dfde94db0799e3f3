import { hostname } from "node:os";
import { relative, sep } from "node:path";
import type { Environment } from "../model/session.ts";
import { gitHead } from "../platform/git-folder.ts";
import type { Roots } from "../platform/roots.ts";
import type { Settings } from "../project/settings.ts";

interface Where {
  readonly roots: Roots;
  readonly settings: Settings;
  readonly cwd: string;
}

/** The environment of this conversation, as far as the project's settings allow it to be recorded. */
export function environmentOf({ roots, settings, cwd }: Where): Environment {
  const head = gitHead(roots.projectRoot);
  return {
    hostname: settings.hostname ? hostname() : null,
    platform: process.platform,
    cwd: relative(roots.projectRoot, cwd).split(sep).join("/") || ".",
    commit: head?.commit ?? null,
    branch: head?.branch ?? null,
  };
}
