import { describe, expect, it } from "vitest";
import { resolveChecks } from "../../src/engine/step-settings.ts";

describe("a check that executes a variable", () => {
  const checks = [{ command: "check", timeout: "1m" }];

  it("becomes the command that the run was started with, or the default", () => {
    const variables = { check: { type: "command" as const, default: "npm test" } };
    expect(resolveChecks({ variables }, { check: "make" }, checks)).toEqual([{ run: "make", timeout: "1m" }]);
    expect(resolveChecks({ variables }, {}, checks)).toEqual([{ run: "npm test", timeout: "1m" }]);
  });

  // Lint refuses these, but the template of a received run was never linted here.
  it.each([
    ["of another type", { check: { type: "text" as const, default: "touch evil" } }],
    ["without a type", { check: "touch evil" }],
    ["that is not declared", {}],
  ])("%s is not executed, whatever its value is", (_, variables) => {
    expect(resolveChecks({ variables }, { check: "touch evil" }, checks)).toEqual(checks);
  });

  it.each([7, true, "", "  "])("with the value %j is not executed", (check) => {
    const variables = { check: { type: "command" as const } };
    expect(resolveChecks({ variables }, { check }, checks)).toEqual(checks);
  });
});
