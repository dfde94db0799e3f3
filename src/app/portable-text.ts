import { stripVTControlCharacters } from "node:util";
import type { Deps } from "./operation.ts";

const secretName = /(_KEY|TOKEN|SECRET|PASSWORD)/i;
const secretLength = 8;

/** A text that may be kept and moved: no path of this machine, no secret of its environment, no terminal codes. */
export function portableText({ roots, user, caller }: Deps, projectRoot: string, text: string): string {
  const secrets = Object.entries(caller.env).flatMap(([name, value]) =>
    value !== undefined && value.length >= secretLength && secretName.test(name) ? [value] : [],
  );
  const places = new Map([
    [roots.stateRoot, "{project_root}"],
    [projectRoot, "{project_root}"],
    ...(user.home.length > 1 ? ([[user.home, "~"]] as const) : []),
    ...secrets.map((secret) => [secret, "***"] as const),
  ]);
  // A longer text goes first: the project may lie inside the user's home.
  const swaps = [...places].sort(([a], [b]) => b.length - a.length);
  const plain = stripVTControlCharacters(text)
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\t\n]/gu, "");
  return swaps.reduce((swapped, [from, to]) => swapped.replaceAll(from, to), plain);
}
