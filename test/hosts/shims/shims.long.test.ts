import { describe, it } from "vitest";
import { brings, expectNothingTracked } from "./stand-in.ts";

describe("of a repository that brings its own Holdfast, a shim runs", () => {
  it.each(Object.entries(brings).slice(2))("nothing that is tracked %s ", (_, bring) => expectNothingTracked(bring));

  for (const settings of [
    ["-c", "index.version=4"],
    ["-c", "core.splitIndex=true"],
  ] as const) {
    it.each(Object.entries(brings))(`nothing that is tracked %s ${settings.join(" ")}`, (_, bring) =>
      expectNothingTracked(bring, settings),
    );
  }
});
