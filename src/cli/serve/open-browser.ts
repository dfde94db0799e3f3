import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { systemProblem } from "../../platform/system-problem.ts";
import type { Io } from "../terminal/io.ts";

/** The program that opens an address, with the words before it. */
const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** As long as a link works. */
const keptMs = 2 * 60_000;

/**
 * Opens a page that leads to the link, because every user of the machine can read the arguments of a program. Call what is
 * returned once the link was used. Without a shell. A machine that has no browser is no reason to stop.
 */
export function openBrowser(link: string, io: Io): () => void {
  const tell = () => io.err("no browser could be opened; open the link above yourself\n");
  const page = writePage(link);
  if (page === null) {
    tell();
    return () => {};
  }
  const remove = () => rmSync(page.folder, { recursive: true, force: true });
  const timer = setTimeout(remove, keptMs).unref();
  const [program, ...words] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...words, page.address], { stdio: "ignore", detached: true, env: { ...io.env } });
  child.once("error", tell);
  child.once("exit", (code) => code !== 0 && code !== null && tell());
  child.unref();
  return () => {
    clearTimeout(timer);
    remove();
  };
}

/** In a folder that only this user can enter; null if there is no place for one. */
function writePage(link: string): { readonly folder: string; readonly address: string } | null {
  try {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-open-"));
    const file = join(folder, "open.html");
    const text = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=${link}"><title>Opening the dashboard</title>\n`;
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
    return { folder, address: pathToFileURL(file).href };
  } catch (error) {
    if (systemProblem(error) === null) throw error;
    return null;
  }
}
