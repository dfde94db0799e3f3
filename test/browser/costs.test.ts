import { afterAll, beforeAll, expect, it } from "vitest";
import { findFaults, type Opened, openLink } from "./support/page.ts";
import { createWorkplace, fillWorkplace } from "./support/project.ts";
import { type Served, serve } from "./support/server.ts";

let served: Served;
let opened: Opened;

beforeAll(async () => {
  const place = await createWorkplace();
  await fillWorkplace(place);
  served = await serve(place);
  opened = await openLink(served);
  await opened.page.goto(`${served.origin}/costs`);
});
afterAll(async () => {
  await opened.context.close();
  await served.kill();
});

it("shows what days, workflows, steps and runs have cost, as plots and as tables", async () => {
  const { page } = opened;
  await page.getByRole("heading", { name: "Cost per day" }).waitFor();
  const cost = (await page.getByRole("button", { name: /^Cost/ }).textContent()) ?? "";
  expect(Number(cost.replace(/^Cost\$/, ""))).toBeGreaterThan(1);
  const workflows = await page
    .getByRole("region", { name: "Workflow: what was taken" })
    .locator("tbody th")
    .allTextContents();
  expect(workflows.toSorted()).toEqual(["bugfix", "feature"]);
  await page.getByText("As a table").click();
  const days = page.getByRole("region", { name: "Day: what was taken" }).locator("tbody tr");
  expect(await days.count()).toBeGreaterThan(3);
});

it("leads from a run to its screen", async () => {
  const { page } = opened;
  const table = page.getByRole("region", { name: "Run: what was taken" });
  const link = table.getByRole("link").first();
  const run = (await link.textContent()) ?? "";
  await link.click();
  await expect.poll(() => page.url()).toContain(`/runs/${run}`);
  await page.goBack();
  await table.waitFor();
  // Over the plot, the pointer would have it tell of one day.
  await page.mouse.move(0, 0);
});

it("compares by another measure and over another time, with the keyboard", async () => {
  const { page } = opened;
  await page.getByRole("button", { name: /^Time/ }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Time per day" }).waitFor();
  await page.getByRole("button", { name: "7 days" }).focus();
  await page.keyboard.press("Space");
  await page.getByText(/in 7 days$/).waitFor();
});

it("everybody can use it", async () => {
  const faults = await findFaults(opened.context, `${served.origin}/costs`, (page) =>
    page.getByRole("heading", { name: "Cost per day" }).waitFor(),
  );
  expect(faults).toEqual([]);
});

it("says what to do while there is nothing to count", async () => {
  const empty = await serve(await createWorkplace("empty"));
  const { page, context } = await openLink(empty);
  await page.goto(`${empty.origin}/costs`);
  await page.getByRole("heading", { name: "No usage in the last 30 days" }).waitFor();
  await context.close();
  await empty.kill();
});
