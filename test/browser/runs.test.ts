import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findFaults, type Opened, openLink } from "./support/page.ts";
import { createWorkplace, fillWorkplace, type Workplace } from "./support/project.ts";
import { type Served, serve } from "./support/server.ts";

let place: Workplace;
let served: Served;
let opened: Opened;

beforeAll(async () => {
  place = await createWorkplace();
  await fillWorkplace(place);
  served = await serve(place);
  opened = await openLink(served, { width: 1440, height: 900 });
  await opened.page.getByRole("heading", { name: "Runs" }).waitFor();
});
afterAll(async () => {
  await opened.context.close();
  await served.kill();
});

const column = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const cardsIn = (page: Page, name: string) => column(page, name).getByRole("link");
const showRuns = async (page: Page) => {
  await page.goto(`${served.origin}/runs`);
  await cardsIn(page, "Done").first().waitFor();
};

it("shows every run in the column of its state, with what it waits for", async () => {
  const { page } = opened;
  await showRuns(page);
  await expect.poll(() => cardsIn(page, "Needs you").count()).toBe(4);
  await expect.poll(() => cardsIn(page, "Done").count()).toBe(4);
  await expect.poll(() => cardsIn(page, "Failed").count()).toBe(1);
  const asked = cardsIn(page, "Needs you").filter({ hasText: "Warn before the tide turns" });
  expect(await asked.textContent()).toContain("Your answer: How long before the turn");
});

it("finds runs by their words, and keeps the search in the address", async () => {
  const { page } = opened;
  await showRuns(page);
  await page.keyboard.press("/");
  await page.keyboard.type("tide");
  await expect.poll(() => page.locator(".card").count()).toBe(2);
  await page.reload();
  await expect.poll(() => page.locator(".card").count()).toBe(2);
  expect(await page.getByRole("searchbox").inputValue()).toBe("tide");
});

it("a new run appears and moves from column to column without a reload", async () => {
  const { page } = opened;
  await showRuns(page);
  const summary = "Draw the coast in winter";
  const { runId } = await place.agent("live-1").ok("start", { workflow: "bugfix", summary, another: true });
  const card = (name: string) => cardsIn(page, name).filter({ hasText: summary });
  await card("Working").or(card("Waiting")).waitFor();
  await place.agent("live-1").ok("next", { run: runId });
  await place.agent("live-1").ok("ask", { run: runId, question: "Which winter?" });
  await card("Needs you").waitFor();
  await place.person().ok("abort", { run: runId, reason: "It is summer." });
  await card("Failed").waitFor();
});

it("is used with the keyboard alone: from card to card, from column to column, into a run and back", async () => {
  const { page } = opened;
  await showRuns(page);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  const focused = page.locator(".card:focus");
  await expect.poll(() => focused.count()).toBe(1);
  const second = await cardsIn(page, "Needs you").nth(1).textContent();
  expect(await focused.textContent()).toBe(second);
  await page.keyboard.press("k");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\/./);
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await page.waitForURL(/\/runs$/);
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keys" });
  await help.getByText("Go to the inbox").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => help.count()).toBe(0);
});

it("says what to do first where there is no run yet", async () => {
  const empty = await createWorkplace("empty");
  const other = await serve(empty);
  const { page, context } = await openLink(other);
  await page.getByText("holdfast start").waitFor();
  await empty.agent("first").ok("start", { workflow: "bugfix", summary: "The first of all" });
  await page.locator(".card", { hasText: "The first of all" }).waitFor();
  await context.close();
  await other.kill();
});

it("keeps the theme that was chosen", async () => {
  const { page } = opened;
  await showRuns(page);
  const ground = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
  const light = await ground();
  await page.getByRole("button", { name: "Theme: system" }).click();
  await page.getByRole("button", { name: "Theme: light" }).click();
  await expect.poll(ground).not.toBe(light);
  const dark = await ground();
  await page.reload();
  await page.getByRole("button", { name: "Theme: dark" }).click();
  expect(dark).not.toBe(await ground());
});

it("shows a run's text as text, whatever is in it", async () => {
  const { page } = opened;
  const summary = "\u202Egnp.<img src=x onerror=alert(1)>";
  await place.agent("odd-1").ok("start", { workflow: "bugfix", summary, another: true });
  await showRuns(page);
  const card = page.locator(".card", { hasText: "<img src=x" });
  await card.waitFor();
  expect(await card.textContent()).toContain("U+202Egnp.<img src=x onerror=alert(1)>");
  expect(await page.locator(".card img").count()).toBe(0);
});

it("everybody can use it", async () => {
  const faults = await findFaults(opened.context, `${served.origin}/runs`, (page) =>
    page.locator("a.card").first().waitFor(),
  );
  expect(faults).toEqual([]);
  expect(opened.errors).toEqual([]);
});
