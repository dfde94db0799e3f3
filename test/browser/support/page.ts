import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserContext, Page } from "playwright-core";
import { launchBrowser } from "./chromium.ts";
import type { Served } from "./server.ts";

export interface Viewing {
  readonly scheme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
  /** For axe, which is put into the page from outside. */
  readonly bypassesPolicy?: boolean;
}

export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the page wrote to the console as an error, and what it threw. */
  readonly errors: readonly string[];
}

/** A browser of its own for a person: no cookie yet. */
async function openContext(viewing: Viewing = {}, from?: BrowserContext): Promise<BrowserContext> {
  const { scheme = "light", width = 1280, height = 800, bypassesPolicy = false } = viewing;
  const browser = await launchBrowser();
  return browser.newContext({
    colorScheme: scheme,
    viewport: { width, height },
    bypassCSP: bypassesPolicy,
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
    ...(from !== undefined && { storageState: await from.storageState() }),
  });
}

/** Opens the server's link, as a person does after the start. The link is good once; later pages have its cookie. */
export async function openLink(served: Served, viewing: Viewing = {}): Promise<Opened> {
  const context = await openContext(viewing);
  const opened = await openPage(context);
  await opened.page.goto(served.link);
  await opened.page.locator("header.header").waitFor();
  return opened;
}

async function openPage(context: BrowserContext): Promise<Opened> {
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  return { page, context, errors };
}

/** The same person with another screen, without a link: cookies and what pages have stored are taken over. */
async function alsoOpen(from: BrowserContext, viewing: Viewing): Promise<Opened> {
  return openPage(await openContext(viewing, from));
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds on a page that was opened with `bypassesPolicy`, as one line each. */
async function findBarriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(axeSource);
  const found = await page.evaluate(`axe.run(document, { resultTypes: ["violations"] })`);
  const { violations } = found as AxeResult;
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html} ${failureSummary ?? ""}`),
  );
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** By how many pixels the page is wider than its window: it would have to be scrolled to the side. */
async function tooWideBy(page: Page): Promise<number> {
  return Number(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"));
}

/**
 * Whether everybody can use a screen: axe finds nothing in light and dark and on a phone, nothing is wider than a phone, and
 * nothing was written to the console. `ready` waits until the screen shows what it is about.
 */
export async function findFaults(
  from: BrowserContext,
  address: string,
  ready: (page: Page) => Promise<void>,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const viewing of [
    { scheme: "light" },
    { scheme: "dark" },
    { scheme: "light", width: 360, height: 740 },
  ] as const) {
    const { page, context, errors } = await alsoOpen(from, { ...viewing, bypassesPolicy: true });
    const where = JSON.stringify(viewing);
    await page.goto(address);
    await ready(page);
    faults.push(...(await findBarriers(page)).map((barrier) => `${where} ${barrier}`));
    const wide = await tooWideBy(page);
    if (wide > 0) faults.push(`${where} is ${wide} pixels too wide`);
    faults.push(...errors.map((error) => `${where} ${error}`));
    await context.close();
  }
  return faults;
}

/** Presses Tab until something with this name has the focus: whoever has no mouse gets there, too. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press("Tab");
    const focused = String(
      await page.evaluate(
        "(() => { const e = document.activeElement; return e?.getAttribute('aria-label') ?? e?.labels?.[0]?.textContent ?? e?.textContent ?? '' })()",
      ),
    );
    if (name.test(focused.trim())) return;
  }
  throw new Error(`${name} was not reached with the Tab key`);
}

/** What stands for the only project in addresses. */
export async function projectOf(page: Page): Promise<string> {
  return String(await readAsPage(page, "/api/projects", "([row]) => row.id"));
}

/** What a function in the page makes of an answer of the API, asked for as the page does. */
export function readAsPage(page: Page, path: string, pick: string): Promise<unknown> {
  const headers = `{ "X-Holdfast-Key": localStorage.getItem("holdfast-key") }`;
  const asked = `fetch(${JSON.stringify(path)}, { headers: ${headers} })`;
  return page.evaluate(`${asked}.then((answer) => answer.json()).then(${pick})`);
}
