import { build } from "esbuild";
import { expect, test, vi } from "vitest";
import { entryPoints } from "../docs/entry-points.ts";
import { readPage } from "../docs/markdown.ts";

test("the example of the guide runs and prints what the guide says", async () => {
  const example = readPage("docs/context.md").blocks.find(({ language }) => language === "ts")?.text ?? "";
  const { outputFiles } = await build({
    stdin: { contents: example, resolveDir: ".", loader: "ts" },
    alias: { ...entryPoints },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
  });
  const printed = vi.spyOn(console, "log").mockImplementation(() => {});
  await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.text ?? "").toString("base64")}`);
  expect(printed.mock.calls).toEqual([[3, ["Implement the plan.", "Approved. Tests first."]]]);
  printed.mockRestore();
});
