import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createProject } from "../cli/program.ts";

const scripts = new URL("scripts/", import.meta.url);
const builtIn = readdirSync(new URL("../../workflows/", import.meta.url)).sort();

it("every built-in workflow has a script", () => {
  expect(readdirSync(scripts).sort()).toEqual(builtIn);
});

it.each(builtIn)("holdfast test walks %s as its script says", async (file) => {
  const { json, write } = createProject();
  write("script.yaml", readFileSync(new URL(file, scripts), "utf8"));
  const { code, value } = await json(["test", file.replace(".yaml", ""), "--script", "script.yaml"]);
  expect(value.problems).toEqual([]);
  expect({ code, ok: value.ok }).toEqual({ code: 0, ok: true });
});
