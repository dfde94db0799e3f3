import { existsSync } from "node:fs";
import { chromium as automation, type Browser } from "playwright-core";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Where the browser is: the one that `HOLDFAST_CHROMIUM` names, or the one of the system. */
function findChromium(): string {
  const { HOLDFAST_CHROMIUM: named = "" } = process.env;
  const found = (named === "" ? places : [named]).find((path) => existsSync(path));
  if (found !== undefined) return found;
  const looked = named === "" ? places.join(", ") : named;
  throw new Error(
    `there is no Chromium (looked at ${looked}). Install it with: apt-get install chromium\n` +
      "or set HOLDFAST_CHROMIUM to the path of a Chromium or Chrome.",
  );
}

/** Before any test: without a browser, one message says so, rather than every test. */
export function setup(): void {
  findChromium();
}

let launched: Promise<Browser> | undefined;

/** One browser for all tests of a process; it ends with the process. */
export function launchBrowser(): Promise<Browser> {
  launched ??= automation.launch({
    executablePath: findChromium(),
    // Containers have no user namespaces for its sandbox and little shared memory.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--font-render-hinting=none"],
  });
  return launched;
}
