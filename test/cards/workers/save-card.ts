import { createInterface } from "node:readline";
import { createCardFolder } from "../../../src/cards/card-folder.ts";
import { isHoldfastError } from "../../../src/errors.ts";
import { later, ownOf } from "../own.ts";

// Saves the run's card each time it is told to, with a reminder of its own, and says what came of it.
const [root = "", name = ""] = process.argv.slice(2);
const cards = createCardFolder(root);

function save(line: string): string {
  try {
    cards.save(ownOf({ key_reminders: [`${name} ${line}`], context: { [`${name} ${line}`]: line } }), later);
    return "saved";
  } catch (error) {
    if (isHoldfastError(error)) return error.code;
    throw error;
  }
}

process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) process.stdout.write(`${save(line)}\n`);
