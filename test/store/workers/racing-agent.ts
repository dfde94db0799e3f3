import { createInterface } from "node:readline";
import { compose } from "../../../src/app/compose.ts";
import { operations } from "../../../src/app/operations.ts";
import { callerOf } from "../project.ts";

// Advances the run with each token that it is given, and says what came of it.
const [project = "", run = "", name = ""] = process.argv.slice(2);
const deps = compose(project, callerOf(name));

async function answer(token: string): Promise<string> {
  const advanced = await operations.advance.run(deps, { run, token, output: `by ${name}` });
  if (!advanced.ok) return `refused ${advanced.refusal.code}`;
  return `won ${advanced.value.token ?? "none"}`;
}

process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) process.stdout.write(`${await answer(line)}\n`);
