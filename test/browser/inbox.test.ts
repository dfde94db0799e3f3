import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findFaults, type Opened, openLink } from "./support/page.ts";
import { createWorkplace, fillWorkplace, type Waiting, type Workplace } from "./support/project.ts";
import { type Served, serve } from "./support/server.ts";

let place: Workplace;
let waiting: Waiting;
let served: Served;
let opened: Opened;

beforeAll(async () => {
  place = await createWorkplace();
  waiting = await fillWorkplace(place);
  served = await serve(place);
  opened = await openLink(served);
});
afterAll(async () => {
  await opened.context.close();
  await served.kill();
});

const titles = (page: Page) => page.locator(".inbox-row-title").allTextContents();
const lastEvents = async (run: string) => (await place.person().events(run)).slice(-3);

/** Goes to an item with the keys, as far as it takes. */
async function moveTo(page: Page, summary: string): Promise<void> {
  const current = page.locator(".inbox-row[aria-current] .inbox-row-title");
  const all = await titles(page);
  const [from, to] = [all.indexOf((await current.textContent()) ?? ""), all.indexOf(summary)];
  for (let moved = from; moved !== to; moved += Math.sign(to - from)) await page.keyboard.press(to > from ? "j" : "k");
  await expect.poll(() => current.textContent()).toBe(summary);
}

/** The key that a button says it has. */
async function keyOf(page: Page, label: string): Promise<string> {
  const key = await page.getByRole("button", { name: label, exact: true }).getAttribute("aria-keyshortcuts");
  return key ?? "";
}

it("shows all that waits, oldest first, with what there is to look at", async () => {
  const { page } = opened;
  await page.goto(`${served.origin}/inbox`);
  await page.locator(".inbox-row").first().waitFor();
  expect(await titles(page)).toEqual([
    "The compass is off by 180 degrees",
    "Share a route with a link",
    "Export of a logbook loses its last line",
    "Warn before the tide turns",
  ]);
  await moveTo(page, "Share a route with a link");
  const shown = (await page.locator(".inbox-evidence").textContent()) ?? "";
  expect(shown).toContain("node check.mjs");
  expect(shown).toContain("README.md");
  await moveTo(page, "Export of a logbook loses its last line");
  expect(await page.locator(".inbox-evidence").textContent()).toContain("expected 3 lines, got 2");
});

it("everybody can use it", async () => {
  const faults = await findFaults(opened.context, `${served.origin}/inbox`, (page) =>
    page.locator(".inbox-row").first().waitFor(),
  );
  expect(faults).toEqual([]);
});

it("one key approves; the item leaves, and the next one takes its place", async () => {
  const { page } = opened;
  await moveTo(page, "Share a route with a link");
  await page.keyboard.press(await keyOf(page, "Approve"));
  await expect.poll(() => titles(page)).not.toContain("Share a route with a link");
  expect(await page.locator(".inbox-row[aria-current] .inbox-row-title").textContent()).toBe(
    "Export of a logbook loses its last line",
  );
  await expect
    .poll(() => lastEvents(waiting.approval))
    .toContainEqual(expect.objectContaining({ type: "approval-given", via: "dashboard" }));
  const session = "mara-1";
  await place.agent(session).ok("advance", { run: waiting.approval, output: "The pull request is open." });
  expect((await place.person().ok("status", { run: waiting.approval })).status).toBe("complete");
});

it("a question is answered with the keyboard alone", async () => {
  const { page } = opened;
  await moveTo(page, "Warn before the tide turns");
  await page.keyboard.press(await keyOf(page, "Answer"));
  await page.keyboard.type("30 minutes");
  await page.keyboard.press("Escape");
  expect(await page.locator(".choice-form").count()).toBe(0);
  await page.keyboard.press(await keyOf(page, "Answer"));
  await page.keyboard.type("30 minutes, and again at 10");
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => titles(page)).not.toContain("Warn before the tide turns");
  expect(await lastEvents(waiting.question)).toContainEqual(
    expect.objectContaining({ type: "question-answered", answer: "30 minutes, and again at 10", via: "dashboard" }),
  );
  expect((await place.person().ok("status", { run: waiting.question })).status).toBe("running");
});

it("a failed step is tried again", async () => {
  const { page } = opened;
  await moveTo(page, "Export of a logbook loses its last line");
  await page.keyboard.press(await keyOf(page, "Try again"));
  await expect.poll(() => titles(page)).not.toContain("Export of a logbook loses its last line");
  expect((await place.person().ok("status", { run: waiting.failure })).status).toBe("running");
});

it("what ends the run is asked once more; a budget is extended", async () => {
  const { page } = opened;
  await moveTo(page, "The compass is off by 180 degrees");
  await page.keyboard.press(await keyOf(page, "Abandon the run"));
  await page.getByText("This ends the run.").waitFor();
  await page.keyboard.press("Escape");
  expect((await place.person().ok("status", { run: waiting.budget })).status).toBe("review");
  await page.keyboard.press(await keyOf(page, "Continue with a new budget"));
  await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
  expect((await place.person().ok("status", { run: waiting.budget })).status).toBe("running");
});

it("what comes and what is decided elsewhere is shown without a reload", async () => {
  const { page } = opened;
  await page.evaluate("window.isSamePage = true");
  await place.agent("budget-1").ok("ask", { run: waiting.budget, question: "Which compass?" });
  await page.locator(".inbox-text", { hasText: "Which compass?" }).waitFor();
  await place.person().ok("answer", { run: waiting.budget, answer: "The old one" });
  await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
  expect(await page.evaluate("window.isSamePage")).toBe(true);
});

/** Two that wait: a question, and after it a failed step. */
async function waitTwice(): Promise<void> {
  await place.agent("budget-1").ok("ask", { run: waiting.budget, question: "Which compass?" });
  await place.agent("failed-1").ok("advance", { run: waiting.failure, output: "It cannot be done.", failed: true });
}

it("what is typed for an item that leaves by itself decides nothing about the next one", async () => {
  const { page } = opened;
  await waitTwice();
  await expect.poll(async () => (await titles(page)).length).toBe(2);
  await moveTo(page, "Export of a logbook loses its last line");
  const again = await keyOf(page, "Try again");
  await moveTo(page, "The compass is off by 180 degrees");
  await page.keyboard.press(await keyOf(page, "Answer"));
  const answered = place.person().ok("answer", { run: waiting.budget, answer: "The old one" });
  const retry = page.getByRole("button", { name: "Try again", exact: true });
  while ((await retry.count()) === 0) await page.keyboard.press(again);
  for (let n = 0; n < 5; n++) await page.keyboard.press(again);
  await answered;
  expect((await place.person().ok("status", { run: waiting.failure })).status).toBe("waiting");
  // After a pause it is decided on as usual.
  await expect.poll(() => retry.isEnabled()).toBe(true);
  await page.keyboard.press(again);
  await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
});

it("says that an answer did not count until the person dismisses it, also when its item has left", async () => {
  const { page } = opened;
  await place.agent("budget-1").ok("ask", { run: waiting.budget, question: "Which compass?" });
  await page.locator(".inbox-text", { hasText: "Which compass?" }).waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Answer", exact: true }).isEnabled()).toBe(true);
  const nothing = page.getByRole("heading", { name: "Nothing waits for you" });
  await page.route("**/answer", async (route) => {
    await place.person().ok("answer", { run: waiting.budget, answer: "The old one" });
    await nothing.waitFor();
    await route.continue();
  });
  await page.keyboard.press(await keyOf(page, "Answer"));
  await page.keyboard.type("The new one");
  await page.keyboard.press("Control+Enter");
  const note = page.getByRole("alert");
  await note.waitFor();
  await page.unrouteAll({ behavior: "wait" });
  expect(await note.textContent()).toContain("Answer: The compass is off by 180 degrees");
  // Whatever comes next, nobody takes it for an answer that counted.
  await place.agent("budget-1").ok("ask", { run: waiting.budget, question: "And which sextant?" });
  await page.locator(".inbox-text", { hasText: "And which sextant?" }).waitFor();
  await page.keyboard.press("j");
  expect(await note.isVisible()).toBe(true);
  await page.keyboard.press("Escape");
  await expect.poll(() => note.count()).toBe(0);
  await place.person().ok("answer", { run: waiting.budget, answer: "Any" });
  await nothing.waitFor();
});

it("what was answered does not come back before the server's next answer", async () => {
  const { page, context } = opened;
  await place.agent("budget-1").ok("ask", { run: waiting.budget, question: "Which compass?" });
  await page.locator(".inbox-text", { hasText: "Which compass?" }).waitFor();
  const other = await context.newPage();
  await other.goto(`${served.origin}/inbox`);
  await other.locator(".inbox-text", { hasText: "Which compass?" }).waitFor();
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/api/inbox", async (route) => {
    await released;
    await route.continue();
  });
  await expect.poll(() => page.getByRole("button", { name: "Answer", exact: true }).isEnabled()).toBe(true);
  await page.keyboard.press(await keyOf(page, "Answer"));
  await page.keyboard.type("The new one");
  await page.keyboard.press("Control+Enter");
  const nothing = page.getByRole("heading", { name: "Nothing waits for you" });
  await nothing.waitFor();
  // This page is told at the same time that the run has moved.
  await other.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
  expect(await nothing.count()).toBe(1);
  release();
  await page.unrouteAll({ behavior: "wait" });
  await other.close();
});

it("what is half typed outlives the server, and is sent once the person may decide again", async () => {
  const { page, context } = opened;
  await place.agent("budget-1").ok("ask", { run: waiting.budget, question: "Which compass?" });
  await page.locator(".inbox-text", { hasText: "Which compass?" }).waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Answer", exact: true }).isEnabled()).toBe(true);
  await page.keyboard.press(await keyOf(page, "Answer"));
  await page.keyboard.type("The one from the");
  await served.kill();
  await page.getByText("Reconnecting").waitFor();
  await page.keyboard.press("Control+Enter");
  const silent = page.getByText("The server does not answer");
  await silent.waitFor();
  served = await serve(place, { port: served.port });
  await page.getByText("You can look, but not decide").waitFor();
  expect(await silent.count()).toBe(0);
  const field = page.getByLabel("Answer", { exact: true });
  expect(await field.inputValue()).toBe("The one from the");
  const send = page.locator(".choice-form button[type=submit]");
  expect(await send.isDisabled()).toBe(true);
  const other = await context.newPage();
  await other.goto(served.link);
  await other.locator("header.header").waitFor();
  await other.close();
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await expect.poll(() => send.isEnabled()).toBe(true);
  await field.press("End");
  await page.keyboard.type(" bridge");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
  expect(await lastEvents(waiting.budget)).toContainEqual(
    expect.objectContaining({ type: "question-answered", answer: "The one from the bridge" }),
  );
});

it("what was submitted leaves the buttons in reach, however long it is", async () => {
  const { page } = opened;
  place.write(
    ".holdfast/workflows/letter.yaml",
    `name: letter
description: A letter that a person approves.
steps: [{ id: write, type: action, instructions: Write it, gate: [{ approval: human }] }]
`,
  );
  const agent = place.agent("letter-1");
  const { runId } = await agent.ok("start", { workflow: "letter", another: true });
  const output = Array.from({ length: 400 }, (_, n) => `Line ${n} of what the agent has written.`).join("\n");
  await agent.no("advance", { run: runId, output });
  const text = page.locator(".inbox-text", { hasText: "Line 399" });
  await text.waitFor();
  const approve = page.getByRole("button", { name: "Approve", exact: true });
  const bottom = async () => {
    const { y, height } = (await approve.boundingBox()) ?? { y: Number.POSITIVE_INFINITY, height: 0 };
    return y + height;
  };
  expect(await bottom()).toBeLessThan(800);
  await text.focus();
  await page.keyboard.press("End");
  await expect.poll(() => page.evaluate("document.querySelector('.inbox-text').scrollTop")).toBeGreaterThan(0);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.locator(".inbox-row").click();
  expect(await bottom()).toBeLessThan(740);
  await page.setViewportSize({ width: 1280, height: 800 });
  await place.person().ok("abort", { run: runId });
  await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
});

it("a text that is too long is not cut", async () => {
  const { page } = opened;
  await place.agent("budget-1").ok("ask", { run: waiting.budget, question: "Which compass?" });
  await page.locator(".inbox-text", { hasText: "Which compass?" }).waitFor();
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByLabel("Answer", { exact: true }).fill("x".repeat(10_001));
  await page.getByText("10,001 characters; at most 10,000 can be sent.").waitFor();
  expect(await page.locator(".choice-form button[type=submit]").isDisabled()).toBe(true);
  await page.keyboard.press("Escape");
  await place.person().ok("answer", { run: waiting.budget, answer: "Any" });
});

it("a page that may only read says why it cannot decide", async () => {
  const reading = await serve(place, { atTerminal: false });
  await place.agent("budget-1").ok("ask", { run: waiting.budget, question: "Which compass now?" });
  const { page, context } = await openLink(reading);
  await page.goto(`${reading.origin}/inbox`);
  await page.getByText("You can look, but not decide").waitFor();
  expect(await page.getByRole("button", { name: "Answer" }).count()).toBe(0);
  await context.close();
  await reading.kill();
});
