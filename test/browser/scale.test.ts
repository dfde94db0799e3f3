import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createLargeProject, type LargeProject } from "./support/large-project.ts";
import { longestTask, watchTasks } from "./support/long-tasks.ts";
import { type Opened, openLink, projectOf } from "./support/page.ts";
import { type Served, serve } from "./support/server.ts";

let place: LargeProject;
let served: Served;
let opened: Opened;
let run = "";

beforeAll(async () => {
  place = await createLargeProject();
  served = await serve(place);
  opened = await openLink(served, { width: 1440, height: 900 });
  await watchTasks(opened.page);
  run = `${served.origin}/p/${await projectOf(opened.page)}/runs/${place.long.runId}`;
}, 600_000);
afterAll(async () => {
  await opened.context.close();
  await served.kill();
});

/** How many runs the columns say that they have. */
async function countOf(page: Page): Promise<number> {
  const counts = await page.locator(".column-count").allTextContents();
  return counts.reduce((sum, text) => sum + Number(text.replaceAll(",", "")), 0);
}

/** To a part of its height: 1 is the end. */
async function scroll(page: Page, selector: string, part: number): Promise<void> {
  const box = `document.querySelector(${JSON.stringify(selector)})`;
  await page.evaluate(`${box}.scrollTo(0, ${part} * ${box}.scrollHeight)`);
}

/** In sorts of a million numbers. The longest task takes a fraction of one; a page that draws or sorts all of what it is about, many. */
const freeze = 4;
const patience = { timeout: 120_000 };

it("10,000 runs scroll and are searched without a freeze", { timeout: 300_000 }, async () => {
  const { page } = opened;
  await page.goto(`${served.origin}/runs`);
  await expect.poll(() => countOf(page), patience).toBe(place.runs);
  const failed = page.getByRole("region", { name: "Failed" });
  await failed.locator("a.card").first().waitFor(patience);
  for (const part of [0.1, 0.35, 0.8, 1]) {
    await scroll(page, "[aria-label=Failed] .column-list", part);
    await expect.poll(() => failed.locator(".card-unread").count(), patience).toBe(0);
  }
  await failed.getByText("Show the tides of Aarhus, part 0", { exact: true }).waitFor(patience);
  await page.getByRole("searchbox").fill("corRECT depths");
  await expect.poll(() => countOf(page), patience).toBe(place.runs / 4);
  await page.getByRole("searchbox").fill("bergen 4321");
  await expect.poll(() => countOf(page), patience).toBe(1);
  await page.getByText("Correct the depths of Bergen, part 4321").waitFor(patience);
  expect(await longestTask(page)).toBeLessThan(freeze);
});

it("a timeline of 100,000 events scrolls to its end and is searched without a freeze", {
  timeout: 300_000,
}, async () => {
  const { page } = opened;
  await page.goto(run);
  const told = page.locator(".timeline-head").getByRole("status");
  await expect.poll(() => told.textContent(), patience).toMatch(/^\d\d,\d\d\d visits$/);
  const visits = Number((await told.textContent())?.replaceAll(/\D/g, ""));
  const row = (number: number) => page.locator(`li[aria-posinset="${number}"] .visit:not(.visit-unread)`);
  await row(1).waitFor(patience);
  await row(2).hover();
  for (let turn = 0; turn < 30; turn++) await page.mouse.wheel(0, 3_000);
  await expect.poll(() => page.locator(".visit-unread").count(), patience).toBe(0);
  await scroll(page, ".panes .tab-panel", 1);
  await row(visits).waitFor(patience);
  expect(await row(visits - 1).textContent()).toContain("t0");
  await page.getByRole("searchbox").fill("verify t19998");
  await expect.poll(() => told.textContent(), patience).toBe("1 visit");
  expect(await longestTask(page)).toBeLessThan(freeze);
});

it("time travel over 100,000 events moves without a freeze", { timeout: 300_000 }, async () => {
  const { page } = opened;
  await page.goto(`${run}/past`);
  const slider = page.getByRole("slider");
  await slider.waitFor(patience);
  const last = Number(await slider.getAttribute("max"));
  expect(last).toBeGreaterThanOrEqual(100_000);
  await slider.focus();
  const changes = page.getByRole("heading", { name: "What has changed since" });
  for (const key of ["Home", "PageUp", "PageUp", "PageUp", "ArrowRight"]) {
    await page.keyboard.press(key);
    await expect.poll(() => page.locator(".past-behind").count(), patience).toBe(0);
    await changes.waitFor(patience);
  }
  const box = await slider.boundingBox();
  if (box === null) throw new Error("the slider is not there");
  const middle = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.2, middle);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.7, middle, { steps: 40 });
  await page.mouse.up();
  expect(Number(await slider.inputValue())).toBeGreaterThan(last / 2);
  await expect.poll(() => page.locator(".past-behind").count(), patience).toBe(0);
  await changes.waitFor(patience);
  expect(await longestTask(page)).toBeLessThan(freeze);
});
