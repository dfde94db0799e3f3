import { spawn } from "node:child_process";
import type { Io } from "../terminal/io.ts";

/** The program that opens an address, with the words before it. */
const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Without a shell. A machine that has no browser is no reason to stop. */
export function openBrowser(address: string, io: Io): void {
  const [program, ...words] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...words, address], { stdio: "ignore", detached: true });
  const tell = () => io.err("no browser could be opened; open the link above yourself\n");
  child.once("error", tell);
  child.once("exit", (code) => code !== 0 && code !== null && tell());
  child.unref();
}
