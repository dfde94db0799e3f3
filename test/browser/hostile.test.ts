import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Opened, openLink, projectOf } from "./support/page.ts";
import { createWorkplace, type Workplace } from "./support/project.ts";
import { type Served, serve } from "./support/server.ts";

const script =
  "<img src=x onerror='window.hacked=1'><script>window.hacked=1</script><a href='javascript:window.hacked=1'>x</a>";
/** Script, an override that turns the rest of a line around, a null, an escape sequence and text that nobody sees. */
const foul = `${script}\u202Edlrow\u2066\u0000\u001b[31m\u200b`;
const spoken = foul.replaceAll("\u0000", "");

let place: Workplace;
let served: Served;
let opened: Opened;
let run = "";
let project = "";

beforeAll(async () => {
  place = await createWorkplace();
  place.write(
    ".holdfast/workflows/foul.yaml",
    [
      "name: foul",
      `description: ${JSON.stringify(script)}`,
      "variables:",
      `  word: { type: choice, choices: [${JSON.stringify(script.slice(0, 90))}], description: ${JSON.stringify(script)} }`,
      "steps:",
      `  - { id: plan, type: action, instructions: ${JSON.stringify(script)} }`,
      "  - { id: build, type: loop }",
      "  - id: ship",
      "    type: action",
      "    instructions: Ship",
      `    gate: [{ run: ${JSON.stringify(`printf '%b' '${script.replaceAll("'", "")}\\u202e'; exit 1`)} }, { approval: human }]`,
      "loops:",
      "  build: [{ id: implement, instructions: Build }]",
      "",
    ].join("\n"),
  );
  await place.person().ok("trust", { workflow: "foul", yes: true });
  const agent = place.agent("s1");
  ({ runId: run } = await agent.ok("start", { workflow: "foul", summary: spoken.slice(0, 100), request: spoken }));
  await agent.ok("next", { run });
  await agent.ok("advance", { run, output: spoken });
  await agent.ok("tasks", {
    run,
    loop: "build",
    tasks: [{ id: "t1", title: `${script}\u202Eowt`, description: spoken }],
  });
  await agent.ok("next", { run });
  await agent.ok("advance", { run, output: spoken });
  await agent.ok("next", { run });
  await agent.no("advance", { run, output: spoken });
  await agent.ok("ask", { run, question: spoken });
  served = await serve(place);
  opened = await openLink(served);
  project = await projectOf(opened.page);
});
afterAll(async () => {
  await opened.context.close();
  await served.kill();
});

const screens = (): Readonly<Record<string, string>> => ({
  runs: "/runs",
  run: `/p/${project}/runs/${run}`,
  outputs: `/p/${project}/runs/${run}?tab=outputs`,
  past: `/p/${project}/runs/${run}/past?at=5`,
  inbox: "/inbox",
  workflows: "/workflows",
  workflow: `/p/${project}/workflows/foul`,
  costs: "/costs",
  "an unknown run": `/p/${project}/runs/${encodeURIComponent(script)}`,
  "a search": `/runs?search=${encodeURIComponent(foul)}`,
});

/** Once nothing has changed for a moment: answers have come, and what they hold is shown. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState("load");
  await page.locator("main :is(h1, h2, .note)").first().waitFor();
  let [before, now] = ["", String(await page.evaluate("document.body.innerHTML.length"))];
  while (before !== now) {
    await page.waitForTimeout(400);
    [before, now] = [now, String(await page.evaluate("document.body.innerHTML.length"))];
  }
}

it.each(["runs", "run", "outputs", "past", "inbox", "workflows", "workflow", "costs", "an unknown run", "a search"])(
  "script and hidden characters in every text do nothing: %s",
  async (name) => {
    const { page, errors } = opened;
    const before = errors.length;
    await page.goto(`${served.origin}${screens()[name]}`);
    await settled(page);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    const hidden = "/[\\u0000-\\u0008\\u001b\\u202a-\\u202e\\u2066-\\u2069\\u200b]/.test(document.body.textContent)";
    expect(await page.evaluate(hidden)).toBe(false);
    expect(await page.locator("main img, main script, main a[href^='javascript:']").count()).toBe(0);
    expect(errors.slice(before).filter((error) => /Content Security Policy|Refused/.test(error))).toEqual([]);
  },
);
