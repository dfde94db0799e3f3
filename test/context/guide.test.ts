import { readFileSync } from "node:fs";
import { build } from "esbuild";
import { expect, test, vi } from "vitest";

test("the example of the guide runs and prints what the guide says", async () => {
  const guide = readFileSync("docs/context.md", "utf8");
  const example = /```ts\n(.*?)```/s.exec(guide)?.[1] ?? "";
  const { outputFiles } = await build({
    stdin: { contents: example, resolveDir: ".", loader: "ts" },
    alias: {
      "holdfast/context/adapters": "./src/context/adapters/index.ts",
      "holdfast/context": "./src/context/index.ts",
    },
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
