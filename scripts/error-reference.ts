import { errorSummaries } from "../src/errors.ts";
import { refusalSummaries } from "../src/model/refusal/refusal.ts";

/** The text of docs/errors.md, generated from the two tables of codes. */
export function errorReference(): string {
  const rows = (table: readonly (readonly [string, string])[]) =>
    [...table]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([code, when]) => `| \`${code}\` | ${when} |\n`)
      .join("");
  return `# Refusals and errors

Every refusal and every error has a code. With \`--json\` it is printed to standard output as
\`{"error": {"code", "message", "next"}}\`; \`next\` tells you what to do. This page is generated from the code
(\`npm run docs\`).

## Refusals (exit code 1)

A refused command does not move the run. The journal may still record what was found out on the way: the output of a failed gate, a request
for approval, a spent budget, usage, or a lost claim.

| code | when |
| --- | --- |
${rows(refusalSummaries)}
## System errors (exit code 3)

| code | when |
| --- | --- |
${rows(Object.entries(errorSummaries))}
An invalid command line has the code \`usage\` (exit code 2), Ctrl-C while something is read the code \`interrupted\` (130). An unexpected error (a bug) has the code \`unexpected\`. An
MCP call that was cancelled before it began has the code \`cancelled\`.
`;
}
