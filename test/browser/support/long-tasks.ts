import type { Page } from "playwright-core";

/** Measures from now on, in this page and whatever it opens, for how long the page answers to nothing. */
export async function watchTasks(page: Page): Promise<void> {
  await page.addInitScript(`
    window.longTasks = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longTasks.push(duration);
    }).observe({ type: "longtask", buffered: true });
  `);
}

/** The longest task of the page since it was loaded, in milliseconds; 0 if none took longer than 50. */
export async function longestTask(page: Page): Promise<number> {
  return Number(await page.evaluate("Math.max(0, ...window.longTasks)"));
}
