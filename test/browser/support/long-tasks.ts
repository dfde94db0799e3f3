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

/**
 * The longest task of the page since it was loaded, as a multiple of what the same page then takes to sort a million numbers: a
 * crowded machine slows down both. Ends the measurement, because sorting is a long task, too.
 */
export async function longestTask(page: Page): Promise<number> {
  const longest = Number(await page.evaluate("Math.max(0, ...window.longTasks)"));
  const sorting = Number(await page.evaluate(sortMany));
  return longest / sorting;
}

const sortMany = `(() => {
  const begun = performance.now();
  Array.from({ length: 1_000_000 }, (_, n) => (n * 7_919) % 1_000_003).sort((a, b) => a - b);
  return performance.now() - begun;
})()`;
