import { mkdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openLink, projectOf, readAsPage } from "./support/page.ts";
import { createWorkplace, fillWorkplace } from "./support/project.ts";
import { serve } from "./support/server.ts";

/** Where the pictures of the docs go. Without it none are made, so that tests leave the work tree as it was. */
const { HOLDFAST_PICTURES: folder = "" } = process.env;

it.runIf(folder !== "")("takes the pictures of the docs", async () => {
  mkdirSync(folder, { recursive: true });
  const place = await createWorkplace();
  const { approval, parallel } = await fillWorkplace(place);
  const served = await serve(place);
  const { page, context } = await openLink(served, { width: 1350, height: 720 });
  const run = `${served.origin}/p/${await projectOf(page)}/runs`;
  const events = await place.person().events(approval);
  const taken = events.find((event) => event.type === "instructions-taken" && event.token.startsWith("review"));
  const shots: readonly (readonly [name: string, address: string, ready: (page: Page) => Promise<void>])[] = [
    ["runs", `${served.origin}/runs`, (at) => at.getByText("Charts without a connection").first().waitFor()],
    ["run", `${run}/${parallel}`, (at) => at.locator("[aria-current=step]").waitFor()],
    [
      "time-travel",
      `${run}/${approval}/past?at=${taken?.seq}`,
      (at) => at.getByText("What has changed since").waitFor(),
    ],
    ["inbox", `${served.origin}/inbox?item=${encodeURIComponent(await itemOf(page, approval))}`, showsEvidence],
  ];
  for (const [name, address, ready] of shots) {
    await page.goto(address);
    await ready(page);
    await page.getByText("Live", { exact: true }).waitFor();
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.screenshot({ path: `${folder}/${name}-${scheme}.png`, animations: "disabled", caret: "hide" });
    }
  }
  await context.close();
  await served.kill();
  expect(shots).toHaveLength(4);
});

const showsEvidence = (page: Page) => page.locator(".evidence").first().waitFor();

async function itemOf(page: Page, run: string): Promise<string> {
  return String(await readAsPage(page, "/api/inbox", `(items) => items.find(({ runId }) => runId === "${run}").id`));
}
