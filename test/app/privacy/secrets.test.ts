import fc from "fast-check";
import { expect, test } from "vitest";
import { portableValue } from "../../../src/app/privacy/portable-text.ts";

const roots = { stateRoot: "/project", projectRoot: "/project", worktree: null };

function masked(env: Record<string, string>, text: string): string {
  return portableValue({ roots, home: "/home/ann", env }, "/project", text);
}

test("a secret is masked as it is, in a URL, and in Base64 wherever it stands in a longer text", () => {
  const secret = fc
    .string({ minLength: 8, maxLength: 40, unit: "grapheme-ascii" })
    .filter((text) => text.trim() === text);
  fc.assert(
    fc.property(secret, fc.string({ maxLength: 6 }), fc.string({ maxLength: 6 }), (value, before, after) => {
      const env = { MY_API_KEY: value };
      const whole = Buffer.from(`${before}${value}${after}`);
      // One character at each end may be left, and says at most six bits of it.
      const core = Buffer.from(value).toString("base64").slice(2, -4);
      for (const form of ["base64", "base64url"] as const) {
        const text = masked(env, `[${whole.toString(form)}]`);
        if (core.length >= 8) expect(text).toContain("***");
        expect(text).not.toContain(value);
      }
      expect(masked(env, `see https://x.test/?k=${encodeURIComponent(value)}`)).not.toContain(
        encodeURIComponent(value),
      );
      expect(masked(env, `it is ${value}.`)).not.toContain(value);
    }),
    { seed: 7, numRuns: 200 },
  );
});

test.each(["API_KEY", "AWS_ACCESS_KEY_ID", "OPENAI_APIKEY", "NPM_TOKEN", "DB_PASSWORD", "CLIENT_SECRET"])(
  "%s is the name of a secret",
  (name) => {
    expect(masked({ [name]: "correct-horse" }, "a correct-horse here")).toBe("a *** here");
  },
);

test.each(["KEYBOARD", "MONKEY", "HOTKEYS", "PATH"])("%s is not", (name) => {
  expect(masked({ [name]: "correct-horse" }, "a correct-horse here")).toBe("a correct-horse here");
});

test("the password in a URL is a secret, whatever the variable is called", () => {
  const env = { STORE: "postgres://ann:correct%2Dhorse@db.test/team" };
  expect(masked(env, "correct-horse, or correct%2Dhorse in a URL")).toBe("***, or *** in a URL");
});

test("a password that is an ordinary word is masked where it is one, and nowhere else", () => {
  const env = { DATABASE_URL: "postgres://postgres:postgres@localhost/app", POSTGRES_PASSWORD: "postgres" };
  for (const text of ["from redis to postgres, with postgres 16", "see src/postgres/client.ts", "image: postgres:16"]) {
    expect(masked(env, text)).toBe(text);
  }
  expect(masked(env, `cannot reach ${env.DATABASE_URL}`)).toBe("cannot reach postgres://postgres:***@localhost/app");
  expect(masked(env, 'POSTGRES_PASSWORD=postgres\nPOSTGRES_PASSWORD: "postgres"')).toBe(
    'POSTGRES_PASSWORD=***\nPOSTGRES_PASSWORD: "***"',
  );
  expect(masked(env, '{"POSTGRES_PASSWORD": "postgres", "POSTGRES_DB": "postgres"}')).toBe(
    '{"POSTGRES_PASSWORD": "***", "POSTGRES_DB": "postgres"}',
  );
  expect(masked(env, '{\\"POSTGRES_PASSWORD\\":\\"postgres\\"}')).toBe('{\\"POSTGRES_PASSWORD\\":\\"***\\"}');
  expect(masked(env, "POSTGRES_PASSWORD=postgresql")).toBe("POSTGRES_PASSWORD=postgresql");
  const own = { STORE: "postgres://holdfast:holdfast@localhost/holdfast" };
  expect(masked(own, "holdfast lint, with holdfast:holdfast@localhost")).toBe(
    "holdfast lint, with holdfast:***@localhost",
  );
});

test.each([
  ["a password", { DB_PASSWORD: "opensesame" }],
  ["a token", { API_TOKEN: "opensesame" }],
  ["the password of a URL", { STORE: "postgres://ann:opensesame@db.test/team" }],
])("%s of plain letters is masked everywhere", (_, env) => {
  expect(masked(env, "Bearer opensesame")).toBe("Bearer ***");
});

test("keys of known shapes are masked wherever they come from; what only looks similar stays", () => {
  const key = `sk-ant-api03-${"a1B2".repeat(10)}`;
  expect(masked({}, `export X=${key}; ghp_${"a".repeat(36)}`)).toBe("export X=***; ***");
  expect(masked({}, "task-sk-1, sk-short, the risk-of-something-that-is-long-enough")).toBe(
    "task-sk-1, sk-short, the risk-of-something-that-is-long-enough",
  );
});
