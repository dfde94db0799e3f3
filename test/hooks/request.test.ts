import { describe, expect, it } from "vitest";
import { afterClear, expectWhole, started } from "./requested.ts";

describe("after a clear", () => {
  it.each(["read"])("a request of 5,000 characters is whole, at the step %s", expectWhole);

  it("a request of one line is in the summary alone", async () => {
    const handoff = await afterClear(await started(["Tie the rope"]));
    expect(handoff).toContain('"Tie the rope"');
    expect(handoff).not.toContain("REQUEST");
  });
});
