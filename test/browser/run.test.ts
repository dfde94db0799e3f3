import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findFaults, type Opened, openLink, tabTo } from "./support/page.ts";
import { createWorkplace, fillWorkplace, type Waiting, type Workplace } from "./support/project.ts";
import { type Served, serve } from "./support/server.ts";

let place: Workplace;
let waiting: Waiting;
let served: Served;
let opened: Opened;
let runs = "";

beforeAll(async () => {
  place = await createWorkplace();
  waiting = await fillWorkplace(place);
  served = await serve(place);
  opened = await openLink(served, { width: 1440, height: 900 });
  const href = await opened.page.locator("a.card").first().getAttribute("href");
  runs = `${served.origin}${href?.slice(0, href.lastIndexOf("/"))}`;
});
afterAll(async () => {
  await opened.context.close();
  await served.kill();
});

const step = (page: Page, name: string) => page.getByRole("list", { name: "Steps" }).getByRole("button", { name });
const show = async (page: Page, run: string) => {
  await page.goto(`${runs}/${run}`);
  await page.locator(".node").first().waitFor();
  await page.locator(".visit").first().waitFor();
};

it("shows the steps with their state and what they took, and where the run is", async () => {
  const { page } = opened;
  await show(page, waiting.approval);
  await page.getByRole("heading", { name: "Share a route with a link" }).waitFor();
  expect(await step(page, "plan").textContent()).toMatch(/Done.*11m/);
  expect(await step(page, "build").textContent()).toContain("1/1");
  expect(await page.locator("[aria-current=step]").textContent()).toContain("ship");
  await page.getByText("Waits for your approval of ship").waitFor();
  expect(await page.getByRole("link", { name: "Decide" }).getAttribute("href")).toContain("/inbox?item=");
});

it("opens a visit to its events, with what a failed gate printed", async () => {
  const { page } = opened;
  await show(page, waiting.failure);
  await page.getByRole("searchbox").fill("fix");
  await expect.poll(() => page.locator(".visit").count()).toBe(1);
  await page.locator(".visit").click();
  await page.getByText("expected 3 lines, got 2").first().waitFor();
  await page.getByText("The file format has no room for it.").first().waitFor();
  await page.locator(".visit").click();
  await expect.poll(() => page.locator(".visit-details").count()).toBe(0);
});

it("tells in words where a step leads, and shows its visits with none of them open", async () => {
  const { page } = opened;
  await show(page, waiting.approval);
  await page.locator(".visit").first().click();
  await page.locator(".visit-details").waitFor();
  await step(page, "review").click();
  await page.getByText("Leads to: build (approved), plan (needs_changes)").waitFor();
  await page.getByRole("button", { name: "Show its visits" }).click();
  await expect.poll(() => page.locator(".visit").count()).toBe(1);
  expect(await page.locator(".visit-details").count()).toBe(0);
});

it("names each screen in the title, and brings the focus to it", async () => {
  const { page } = opened;
  await show(page, waiting.approval);
  expect(await page.title()).toContain(`${waiting.approval} · Holdfast`);
  await page.getByRole("link", { name: "Costs" }).click();
  await expect.poll(() => page.title()).toContain("Costs · Holdfast");
  await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("main");
  await page.goBack();
  await expect.poll(() => page.title()).toContain(waiting.approval);
});

it("moves with the run, without a reload", async () => {
  const { page } = opened;
  const summary = "Count the waves";
  const { runId } = await place.agent("live-2").ok("start", { workflow: "driven", summary, another: true });
  await show(page, runId);
  const current = page.locator("[aria-current=step]");
  await expect.poll(() => current.textContent()).toContain("look");
  await place.agent("live-2").ok("advance", { run: runId, output: "Many waves." });
  await expect.poll(() => current.textContent()).toContain("work");
  await page.locator(".visit", { hasText: "Many waves." }).waitFor();
  await place.agent("live-2").ok("advance", { run: runId, output: "Counted." });
  await place.agent("live-2").ok("advance", { run: runId, output: "Told." });
  await expect.poll(() => page.locator(".run-facts").textContent()).toContain("Done");
});

it("a person pauses, resumes, aborts and reopens a run, with one confirmation each", async () => {
  const { page } = opened;
  const summary = "Stop and go";
  const { runId } = await place.agent("live-3").ok("start", { workflow: "driven", summary, another: true });
  await show(page, runId);
  const act = async (name: string, reason?: string) => {
    await page.getByRole("button", { name, exact: true }).click();
    const dialog = page.getByRole("dialog");
    if (reason !== undefined) await dialog.getByRole("textbox").fill(reason);
    await dialog.getByRole("button", { name, exact: true }).click();
    await expect.poll(() => dialog.count()).toBe(0);
  };
  await act("Pause", "Lunch");
  await page.getByText("paused: Lunch").waitFor();
  await act("Resume");
  await act("Abort", "Never mind");
  await act("Reopen");
  await page.getByRole("button", { name: "Pause" }).waitFor();
  const events = await place.person().events(runId);
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["run-paused", "run-resumed", "run-aborted", "run-reopened"]),
  );
});

it("has outputs, the todo list and the sessions on tabs that arrow keys reach", async () => {
  const { page } = opened;
  await show(page, waiting.approval);
  await tabTo(page, /^Timeline$/);
  await page.keyboard.press("ArrowRight");
  await page.locator("summary", { hasText: "plan" }).click();
  await page.getByText("Cache the tiles of the last trip").first().waitFor();
  await page.getByRole("tab", { name: "Outputs" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.getByText("The run has no todo list.").waitFor();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("tab", { name: "Sessions", selected: true }).waitFor();
});

it("shows what a step needs and how its tasks are, when it is chosen", async () => {
  const { page } = opened;
  await show(page, waiting.approval);
  await step(page, "build").focus();
  await page.keyboard.press("Enter");
  const details = page.getByRole("region", { name: "Step build" });
  await details.getByText("Make the link").waitFor();
  await step(page, "ship").click();
  await page.getByRole("region", { name: "Step ship" }).getByText("check.mjs").waitFor();
});

it("says that a run is not there, and what to do", async () => {
  const { page } = opened;
  await page.goto(`${runs}/bugfix-nowhere`);
  await page.getByRole("alert").waitFor();
});

it("everybody can use it, also with an open visit", async () => {
  const { context, errors } = opened;
  const faults = await findFaults(context, `${runs}/${waiting.failure}?tab=timeline`, async (page) => {
    await page.locator(".visit").first().click();
    await page.locator(".event").first().waitFor();
  });
  expect(faults).toEqual([]);
  expect(errors.filter((error) => !error.includes("404"))).toEqual([]);
});
