import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { printVisitLog } from "../../../src/cli/print/print-visit-log.ts";
import { printEnding, printNotice } from "../../../src/cli/run/print-run.ts";
import { createPaint } from "../../../src/cli/terminal/paint.ts";

beforeEach(() => void vi.stubEnv("TZ", "America/New_York"));
afterEach(() => void vi.unstubAllEnvs());

const paint = createPaint({ colours: false, columns: null });
const at = "2026-01-01T15:30:20.000Z";
const parking = {
  type: "parked",
  why: "limit",
  reason: "the limit is reached",
  until: "2026-01-04T15:30:00.000Z",
} as const;

test("every time is a local one, and a limit that ends on another day has its date", () => {
  expect(printNotice({ type: "done", token: "plan#1" }, at, paint)).toBe("10:30:20  done\n");
  expect(printNotice(parking, at, paint)).toBe("10:30:20  parked: the limit is reached, until 2026-01-04 10:30\n");
  expect(printNotice({ ...parking, type: "retry", token: "plan#1" }, at, paint)).toBe(
    "10:30:20  trying again at 10:30:00: the limit is reached\n",
  );
  expect(printEnding(parking, "boat-1", "claude", paint)).toContain("the limit is reached, until 2026-01-04 10:30\n");
  expect(printVisitLog([{ at, type: "result" }], paint)).toBe("2026-01-01 10:30:20  result\n");
});
