import { errorSummaries } from "../src/errors.ts";
import { refusalSummaries } from "../src/model/refusal/refusal.ts";

/** docs/errors.md, from the two closed tables. */
export function errorReference(): string {
  const rows = (table: readonly (readonly [string, string])[]) =>
    [...table]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([code, when]) => `| \`${code}\` | ${when} |\n`)
      .join("");
  return `# Refusals and errors

Every answer that is not a yes has a code. With \`--json\` it is \`{"error": {"code", "message", "next"}}\` on standard
output; \`next\` says what to do. This page is written from the code (\`npm run docs\`).

## Refusals (exit code 1)

Nothing was changed, except what the refusal itself says: what a failed gate showed, that an approval was asked for, that
a budget is spent.

| code | when |
| --- | --- |
${rows(refusalSummaries)}
## Failures of the world (exit code 3)

| code | when |
| --- | --- |
${rows(Object.entries(errorSummaries))}
Words that do not make a command are \`usage\` (exit code 2). What nobody foresaw is \`unexpected\`; a call over MCP that
was cancelled before it began is \`cancelled\`.
`;
}
