import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import type { Deps } from "./operation.ts";

/** A text that may be kept and moved: no path of this machine, no secret of its environment, no terminal codes. */
export function portableText({ roots, user, caller }: Deps, projectRoot: string, text: string): string {
  const swaps = [
    ...swapsOfPlace(roots.stateRoot, "{project_root}"),
    ...swapsOfPlace(projectRoot, "{project_root}"),
    ...swapsOfPlace(user.home, "~"),
    ...Object.entries(caller.env).flatMap(([name, value]) => swapsOfVariable(name, value ?? "")),
  ];
  // A longer text goes first: the project may lie inside the user's home.
  swaps.sort((a, b) => b.length - a.length);
  return swaps.reduce((swapped, { pattern, to }) => swapped.replaceAll(pattern, () => to), plainText(text));
}

interface Swap {
  readonly pattern: RegExp | string;
  readonly length: number;
  readonly to: string;
}

/** A folder as the system writes it and as a URL does; `/app` is no part of `/application`. */
function swapsOfPlace(path: string, to: string): Swap[] {
  if (path.length < 2) return [];
  const spellings = new Set([path, pathToFileURL(path).pathname]);
  return [...spellings].map((spelling) => {
    const pattern = new RegExp(`${spelling.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?![\\p{L}\\p{N}_-])`, "gu");
    return { pattern, length: spelling.length, to };
  });
}

const secretName = /(_KEY|TOKEN|SECRET|PASSWORD)/i;
const secretLength = 8;

function swapsOfVariable(name: string, value: string): Swap[] {
  const secret = plainText(value).trim();
  if (!secretName.test(name) || secret.length < secretLength) return [];
  return [{ pattern: secret, length: secret.length, to: "***" }];
}

function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\t\n]/gu, "");
}
