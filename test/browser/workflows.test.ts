import { afterAll, beforeAll, expect, it } from "vitest";
import { findFaults, type Opened, openLink, tabTo } from "./support/page.ts";
import { addBroken, createWorkplace, type Workplace } from "./support/project.ts";
import { type Served, serve } from "./support/server.ts";

let place: Workplace;
let served: Served;
let opened: Opened;
let release = "";

beforeAll(async () => {
  place = await createWorkplace();
  addBroken(place);
  served = await serve(place);
  opened = await openLink(served);
  const { page } = opened;
  await page.getByRole("link", { name: "Workflows" }).click();
  release = (await page.getByRole("link", { name: /^release/ }).getAttribute("href")) ?? "";
});
afterAll(async () => {
  await opened.context.close();
  await served.kill();
});

it("lists the project's own workflows before the built-in ones, and finds them by their words", async () => {
  const { page } = opened;
  await page.goto(`${served.origin}/workflows`);
  await page.getByRole("link", { name: /^release/ }).waitFor();
  const names = await page.locator(".workflow-card strong").allTextContents();
  expect(names.slice(0, 5)).toEqual(["broken", "bugfix", "driven", "feature", "release"]);
  expect(names).toContain("planning");
  await page.keyboard.press("/");
  await page.keyboard.type("publish a");
  await expect.poll(() => page.locator(".workflow-card strong").allTextContents()).toEqual(["release"]);
});

it("shows the mistakes of a workflow at their lines, and offers no start", async () => {
  const { page } = opened;
  await page.goto(`${served.origin}${release.replace("release", "broken")}`);
  const line = page.locator("#line-5");
  await line.waitFor();
  expect(await line.textContent()).toContain("acton");
  expect(await line.locator(".source-problem").textContent()).toContain("did you mean action");
  expect(await page.getByRole("button", { name: "Start" }).count()).toBe(0);
});

it("a person reads the commands, trusts them, fills in the form and starts a run, with the keyboard alone", async () => {
  const { page } = opened;
  await page.goto(`${served.origin}${release}`);
  const start = page.getByRole("button", { name: "Start", exact: true });
  await start.waitFor();
  expect(await start.isDisabled()).toBe(true);
  const commands = page.getByRole("region", { name: "Commands" });
  expect(await commands.textContent()).toContain("node check.mjs --strict");
  await tabTo(page, /^Trust these commands$/);
  await page.keyboard.press("Enter");
  await commands.getByText("You have agreed").waitFor();

  await tabTo(page, /^What is it about\?$/);
  await page.keyboard.type("The autumn release");
  await tabTo(page, /^version/);
  await page.keyboard.type("1.4.0");
  await tabTo(page, /^channel/);
  await page.keyboard.type("nightly");
  await tabTo(page, /^dry_run/);
  await page.keyboard.press("Space");
  await tabTo(page, /^Start$/);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\/release-/);

  const run = page.url().split("/").at(-1) ?? "";
  const [started] = await place.person().events(run);
  expect(started).toMatchObject({
    type: "run-started",
    summary: "The autumn release",
    variables: { version: "1.4.0", channel: "nightly", dry_run: false, rounds: 2, notes: "docs/notes.md" },
  });
});

it("a value that does not fit is refused with what to do, and nothing is lost", async () => {
  const { page } = opened;
  await page.goto(`${served.origin}${release}`);
  await page.getByLabel("version").fill("next week");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  expect(await page.getByRole("alert").textContent()).toContain("must match");
  expect(await page.getByLabel("version").inputValue()).toBe("next week");
});

it("a command that is filled in is shown and trusted with the start", async () => {
  const { page } = opened;
  place.write(
    ".holdfast/workflows/checked.yaml",
    `name: checked
description: A check of your own
variables:
  check: { type: command, required: true }
steps:
  - { id: work, type: action, instructions: Do it, gate: [{ run: "{vars.check}", timeout: 60s }] }
`,
  );
  await page.goto(`${served.origin}${release.replace("release", "checked")}`);
  await page.getByRole("textbox", { name: /^check/ }).fill("node check.mjs --mine");
  const trust = page.getByRole("button", { name: "Trust these commands" });
  if ((await trust.count()) > 0) await trust.click();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  const note = page.locator(".start-form [role=alert]");
  await note.waitFor();
  expect(await note.textContent()).toContain("node check.mjs --mine");
  // What is different by now is shown before anybody agrees to it.
  await page.getByRole("textbox", { name: /^check/ }).fill("node check.mjs --other");
  await page.getByRole("button", { name: "Trust and start" }).click();
  await expect.poll(() => note.textContent()).toContain("node check.mjs --other");
  await page.getByRole("button", { name: "Trust and start" }).click();
  await page.waitForURL(/\/runs\/checked-/);
});

it("whoever trusts what has changed in the meantime is shown the change first", async () => {
  const { page } = opened;
  await page.goto(`${served.origin}${release.replace("release", "bugfix")}`);
  await page.getByText("You have agreed").waitFor();
  place.write(
    ".holdfast/workflows/bugfix.yaml",
    place.read(".holdfast/workflows/bugfix.yaml").replace("check.mjs", "other.mjs"),
  );
  await page.reload();
  await page.getByRole("heading", { name: "Since you last trusted it" }).waitFor();
  place.write(
    ".holdfast/workflows/bugfix.yaml",
    place.read(".holdfast/workflows/bugfix.yaml").replace("other.mjs", "worst.mjs"),
  );
  await page.getByRole("button", { name: "Trust these commands" }).click();
  await page.getByText("worst.mjs").first().waitFor();
  expect(await page.getByText("Not trusted").count()).toBe(1);
});

it.each(["/workflows", "release", "broken"])("everybody can use %s", async (name) => {
  const path = name.startsWith("/") ? name : release.replace("release", name);
  const faults = await findFaults(opened.context, `${served.origin}${path}`, (page) =>
    page.locator(".workflow-card, .source").first().waitFor(),
  );
  expect(faults).toEqual([]);
});
