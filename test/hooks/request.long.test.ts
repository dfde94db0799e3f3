import { describe, expect, it } from "vitest";
import { session } from "./events.ts";
import { afterClear, expectWhole, request, started } from "./requested.ts";

describe("after a clear", () => {
  it.each(["work"])("a request of 5,000 characters is whole, at the step %s", expectWhole);

  it.each(["read", "work"])("one of 90,000 has its ends and a path that can be read, at the step %s", async (step) => {
    const lines = request(90_000);
    const project = await started(lines);
    if (step === "work") await project.json(["advance", "--output", "Read"], { env: { HOLDFAST_SESSION: session } });
    const handoff = await afterClear(project);
    for (const end of [lines[0], lines.at(-1)]) expect(handoff).toContain(`| ${end}\n`);
    const paths = [...handoff.matchAll(/read @(\S+\.md)/g)].map(([, path = ""]) => path);
    const found = paths.map((path) => project.read(path)).filter((text) => text.includes(lines.join("\n")));
    expect(paths.length).toBeGreaterThan(0);
    expect(found.length).toBeGreaterThan(0);
    expect(handoff.length).toBeLessThanOrEqual(9_000);
  });
});
