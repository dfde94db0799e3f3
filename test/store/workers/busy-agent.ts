import { compose } from "../../../src/app/compose.ts";
import { operations } from "../../../src/app/operations.ts";
import { callerOf } from "../project.ts";

// Advances the run without a pause, and prints the number of each advance once it was acknowledged.
const [project = "", run = "", first = ""] = process.argv.slice(2);
const deps = compose(project, callerOf());
const long = "x".repeat(200_000);

process.stdout.write("ready\n");
// If the test itself is killed, nobody is left to stop this.
const parent = process.ppid;
for (let number = Number(first); process.ppid === parent; number++) {
  // A long line takes the system long enough to write that a kill can cut it off.
  const output = `${number} ${number % 4 === 0 ? long : "short"}`;
  const advanced = await operations.advance.run(deps, { run, output });
  if (!advanced.ok) throw new Error(advanced.refusal.code);
  process.stdout.write(`${number}\n`);
}
