import { afterAll, beforeAll, expect, it } from "vitest";
import { findFaults, type Opened, openLink, projectOf } from "./support/page.ts";
import { createWorkplace, fillWorkplace, type Waiting, type Workplace } from "./support/project.ts";
import { type Served, serve } from "./support/server.ts";

let place: Workplace;
let waiting: Waiting;
let served: Served;
let opened: Opened;
let address = "";

beforeAll(async () => {
  place = await createWorkplace();
  waiting = await fillWorkplace(place);
  served = await serve(place);
  opened = await openLink(served);
  address = `${served.origin}/p/${await projectOf(opened.page)}/runs/${waiting.approval}/past`;
});
afterAll(async () => {
  await opened.context.close();
  await served.kill();
});

const placeOn = () => opened.page.locator(".slider-place").textContent();
const step = (title: string) => opened.page.locator(".past-state", { hasText: title }).locator(".past-step-open");

it("shows a moment of the past beside now: the state, what the model was shown, and what has changed", async () => {
  const { page } = opened;
  const events = await place.person().events(waiting.approval);
  const reviewed = events.find((event) => event.type === "visit-entered" && event.token.startsWith("review#1"));
  await page.goto(`${address}?at=${reviewed?.seq}`);
  await step("Then").waitFor();
  expect(await step("Then").textContent()).toContain("review");
  expect(await step("Now").textContent()).toContain("ship");
  const shown = page.locator(".shown-column");
  await shown.nth(1).waitFor();
  expect(await shown.nth(0).textContent()).toContain("review");
  expect(await shown.nth(0).locator(".tag").textContent()).toMatch(/Recorded|Rebuilt/);
  expect(await shown.nth(1).textContent()).toContain("ship");
  const changes = page.getByRole("region", { name: "Differences" });
  await changes.waitFor();
  expect(await changes.textContent()).toContain("waiting");
});

it("the keyboard moves by events, by visits, to the beginning and to now", async () => {
  const { page } = opened;
  const events = await place.person().events(waiting.approval);
  const last = events.length;
  const visits = events.flatMap((event) => (event.type === "visit-entered" ? [event.seq] : []));
  await page.goto(address);
  await page.getByRole("slider").focus();
  await page.keyboard.press("Home");
  await expect.poll(placeOn).toBe(`1 of ${last}`);
  await page.keyboard.press("ArrowRight");
  await expect.poll(placeOn).toBe(`2 of ${last}`);
  await page.keyboard.press("End");
  await expect.poll(placeOn).toBe(`${last} of ${last}`);
  await page.keyboard.press("Shift+ArrowLeft");
  await expect.poll(placeOn).toBe(`${visits.at(-1)} of ${last}`);
  await page.keyboard.press("Shift+ArrowLeft");
  await expect.poll(placeOn).toBe(`${visits.at(-2)} of ${last}`);
  await page.keyboard.press("Shift+ArrowRight");
  await expect.poll(placeOn).toBe(`${visits.at(-1)} of ${last}`);
  await expect.poll(() => new URL(page.url()).searchParams.get("at")).toBe(String(visits.at(-1)));
});

it("a late answer never replaces that of a later moment", async () => {
  const { page } = opened;
  await page.goto(`${address}?at=3`);
  await step("Then").waitFor();
  await page.route(/overview\?.*at=4(&|$)/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await route.continue().catch(() => {});
  });
  const slider = page.getByRole("slider");
  await slider.focus();
  const slow = page.waitForRequest(/overview\?.*at=4(&|$)/);
  await page.keyboard.press("ArrowRight");
  await slow;
  await page.keyboard.press("End");
  await expect.poll(() => page.locator(".past-state h2").allTextContents()).toEqual(["Now"]);
  await expect.poll(() => page.locator(".past-step-open").textContent()).toContain("ship");
  await page.unroute(/overview\?.*at=4(&|$)/);
});

it("stays on the moment when the run cannot be read again", async () => {
  const { page } = opened;
  await page.goto(`${address}?at=3`);
  await step("Then").waitFor();
  const isTimeline = /\/timeline\?/;
  await page.route(isTimeline, (route) => route.abort());
  const failed = page.waitForEvent("requestfailed", (request) => isTimeline.test(request.url()));
  await place.person().ok("tell", { run: waiting.approval, text: "Go on." });
  await failed;
  expect(await page.getByText("The server does not answer").count()).toBe(0);
  await step("Then").waitFor();
  await page.unroute(isTimeline);
});

it("everybody can use it", async () => {
  const faults = await findFaults(opened.context, `${address}?at=12`, (page) =>
    page.getByRole("heading", { name: "What has changed since" }).waitFor(),
  );
  expect(faults).toEqual([]);
});
