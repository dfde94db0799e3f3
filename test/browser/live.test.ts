import { chmodSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ended } from "../cli/program.ts";
import { type Opened, openLink } from "./support/page.ts";
import { createWorkplace, type Workplace } from "./support/project.ts";
import { type Served, serve } from "./support/server.ts";

let place: Workplace;
let served: Served;
let opened: Opened;

beforeAll(async () => {
  place = await createWorkplace();
  served = await serve(place);
  opened = await openLink(served);
});
afterAll(async () => {
  await opened.context.close();
  await served.kill();
});

it("a run that Holdfast drives moves on the page without a reload", async () => {
  const { page } = opened;
  // The agent goes on when the test lets it, so that the page can be seen in between.
  const script =
    '#!/bin/sh\nprompt=$(cat)\nn=$(ls here-* 2>/dev/null | wc -l)\ntouch here-$n\nuntil [ -e "go-$n" ]; do sleep 0.05; done\necho done\n';
  chmodSync(place.write("agent.sh", script), 0o755);
  await page.goto(`${served.origin}/runs`);
  await page.evaluate("window.isSamePage = true");
  const runner = place.begin(["run", "driven", "Look at the harbour", "--agent", "command:./agent.sh", "--yes"]);
  const over = ended(runner);
  await page.getByRole("link", { name: /Look at the harbour/ }).click();
  const current = page.locator("[aria-current=step]");
  await expect.poll(() => current.textContent()).toContain("look");
  place.write("go-0", "");
  await expect.poll(() => current.textContent()).toContain("work");
  place.write("go-1", "");
  await expect.poll(() => current.textContent()).toContain("tell");
  place.write("go-2", "");
  expect((await over).code).toBe(0);
  await page.getByText("complete", { exact: false }).first().waitFor();
  await expect.poll(() => current.count()).toBe(0);
  expect(await page.evaluate("window.isSamePage")).toBe(true);
});

it("the page connects again after the server was killed, and shows what happened in between", async () => {
  const { page } = opened;
  const { runId } = await place
    .agent("s1")
    .ok("start", { workflow: "driven", summary: "Through the night", another: true });
  await page.goto(`${served.origin}/runs`);
  await page.getByRole("link", { name: /Through the night/ }).click();
  const current = page.locator("[aria-current=step]");
  await expect.poll(() => current.textContent()).toContain("look");
  await page.evaluate("window.isSamePage = true");
  await served.kill();
  await page.getByText("Reconnecting").waitFor();
  await place.agent("s1").ok("advance", { run: runId, output: "looked" });
  served = await serve(place, { port: served.port });
  await expect.poll(() => current.textContent()).toContain("work");
  expect(await page.evaluate("window.isSamePage")).toBe(true);
  // Who the person was, only the first server knew.
  await page.getByText("press Enter in the terminal").waitFor();
  await place.agent("s1").ok("advance", { run: runId, output: "worked" });
  await expect.poll(() => current.textContent()).toContain("tell");
});

it("a screen that could not be read is shown when the server is back", async () => {
  const { page } = opened;
  await page.goto(`${served.origin}/runs`);
  await page.locator("a.card").first().waitFor();
  await served.kill();
  await page.getByRole("link", { name: "Workflows" }).click();
  await page.getByText("The server does not answer").waitFor();
  served = await serve(place, { port: served.port });
  await page.getByRole("link", { name: /^driven/ }).waitFor({ timeout: 20_000 });
  await expect.poll(() => page.getByText("The server does not answer").count()).toBe(0);
});

it("tabs that were opened in the background leave the connections to others, and listen once they are seen", async () => {
  const { context } = opened;
  const hidden = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const page = await context.newPage();
      await page.addInitScript(
        'Object.defineProperty(document, "visibilityState", { value: "hidden", writable: true })',
      );
      const asked: string[] = [];
      page.on("request", (request) => asked.push(new URL(request.url()).pathname));
      await page.goto(`${served.origin}/runs`, { waitUntil: "commit" });
      return { page, asked };
    }),
  );
  // With six streams, browsers send nothing else to the server.
  for (const { page } of hidden) await page.locator("a.card", { hasText: "Through the night" }).waitFor();
  expect(hidden.flatMap(({ asked }) => asked)).not.toContain("/api/live");
  const [first] = hidden;
  await first?.page.evaluate(
    'document.visibilityState = "visible"; document.dispatchEvent(new Event("visibilitychange"))',
  );
  await expect.poll(() => first?.asked).toContain("/api/live");
  await place.agent("s2").ok("start", { workflow: "driven", summary: "Seen at last", another: true });
  await first?.page.getByRole("link", { name: /Seen at last/ }).waitFor();
  for (const { page } of hidden) await page.close();
});
