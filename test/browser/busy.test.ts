import { afterAll, beforeAll, it } from "vitest";
import { type Opened, openLink, projectOf } from "./support/page.ts";
import { createWorkplace, type Workplace } from "./support/project.ts";
import { type Served, serve } from "./support/server.ts";

let place: Workplace;
let served: Served;
let opened: Opened;
let run = "";

beforeAll(async () => {
  place = await createWorkplace();
  ({ runId: run } = await place.agent("s1").ok("start", { workflow: "driven", summary: "A busy day" }));
  await place.agent("s1").ok("next", { run });
  served = await serve(place);
  opened = await openLink(served);
});
afterAll(async () => {
  await opened.context.close();
  await served.kill();
});

/** Lets the run move several times a second until something is over. */
async function moveUntil(over: Promise<unknown>): Promise<void> {
  const timer = setInterval(() => void place.uses(run, "s1", { turns: 1, tokens: 100 }), 200);
  await over.finally(() => clearInterval(timer));
}

it.each([
  ["/costs", /\/api\/costs/, "per day"],
  ["/runs", /\/api\/runs/, "A busy day"],
  ["/p/PROJECT/runs/RUN", /\/overview\?/, "A busy day"],
])("%s is shown although it takes longer to read than the run takes to move", async (path, slow, text) => {
  const { page } = opened;
  const project = await projectOf(page);
  await page.route(slow, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await route.continue().catch(() => {});
  });
  const address = served.origin + path.replace("PROJECT", project).replace("RUN", run);
  const shown = page
    .goto(address)
    .then(() => page.locator("main").getByText(text).first().waitFor({ timeout: 15_000 }));
  await moveUntil(shown);
  await page.unroute(slow);
});
