import { build } from "esbuild";
import { expect, test } from "vitest";
import * as adapters from "../../src/context/adapters/index.ts";
import * as library from "../../src/context/index.ts";

const everything = 'export * from "./src/context/index.ts"; export * from "./src/context/adapters/index.ts";';
const context = 'export * from "./src/context/index.ts";';

async function bundle(
  contents: string,
  platform: "browser" | "neutral",
): Promise<{ readonly text: string; readonly inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: "." },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform,
  });
  return { text: outputFiles[0]?.text ?? "", inputs: Object.keys(metafile.inputs).toSorted() };
}

test("holdfast/context is for browsers and edge functions too: it bundles with nothing but itself and two words of the model", async () => {
  const { text, inputs } = await bundle(everything, "browser");
  expect(inputs.filter((file) => !file.startsWith("src/context/") && file !== "<stdin>")).toEqual([
    "src/model/look-alike.ts",
    "src/model/truncate.ts",
  ]);
  expect(text).not.toMatch(/\bnode:|\brequire\(|\bprocess\.|\bBuffer\b/);
});

test("a page that uses a context without the adapters gets less than 40 KB", async () => {
  const { text } = await bundle(context, "browser");
  expect(text.length).toBeLessThan(40_000);
});

test("the bundle works where there is no Node", async () => {
  const { text } = await bundle(everything, "neutral");
  const url = `data:text/javascript;base64,${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}`;
  const { createContext } = (await import(/* @vite-ignore */ url)) as typeof library;
  const context = createContext({ countTokens: (words) => words.length, limits: { window: 100 } });
  context.append("user", "hello");
  expect(context.messages()).toEqual([{ role: "user", content: "hello" }]);
});

// What others rely on. A red pin is a decision to make, not a test to loosen.
test("holdfast/context exports these names", () => {
  expect(Object.keys(library).toSorted()).toEqual([
    ...["ContextError", "coderPolicy", "createContext", "isContextError", "isOverflowError"],
    ...["restoreContext", "sendOrCompact"],
  ]);
  expect(Object.keys(adapters).toSorted()).toEqual([
    ...["appendLastStep", "createPrepareStep", "fromAnthropic", "fromOpenAi", "fromOpenAiResponses"],
    ...["toAiSdk", "toAnthropic", "toOpenAi", "toOpenAiResponses"],
  ]);
});
